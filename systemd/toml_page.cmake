# The sample configuration, which explains every key, as a manual page: cmake -DSAMPLE=.. -DPAGE=.. -P toml_page.cmake
file(READ ${SAMPLE} text)
string(REPLACE "\\" "\\e" text "${text}")
string(REPLACE "-" "\\-" text "${text}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
file(WRITE ${PAGE} ".TH DATUMD.TOML 5 \"\" datumd \"File formats\"
.SH NAME
datumd.toml \\- configuration of an inspection cell
.SH DESCRIPTION
.BR datumd (8)
reads /etc/datumd/datumd.toml. This is the sample, in which every key is explained.
.PP
.nf
${text}.fi
.SH SEE ALSO
.BR datumd (8),
.BR datumctl (1)
")
