# What R computes of the studies in the table args[1] (study,part,operator,count; a count is a tenth of a um), and of
# distributions: a line "NAME VALUE" each. Counts are shifted by a whole number first, so that no digit is lost to their level.
suppressMessages(library(lme4))
say <- function(name, value) cat(name, sprintf("%.17g", value), "\n")
table <- read.csv(commandArgs(TRUE)[1], colClasses = c("character", "factor", "factor", "integer"))
for (name in unique(table$study)) {
  d <- droplevels(table[table$study == name, ])
  d$y <- (d$count - d$count[1]) / 10
  if (all(table(d$part, d$operator) == nrow(d) / (nlevels(d$part) * nlevels(d$operator)))) {
    a <- summary(aov(y ~ part * operator, d))[[1]]
    ss <- a[["Sum Sq"]]; df <- a[["Df"]]; ms <- ss / df
    for (i in 1:4) say(paste(name, "ss", i - 1), ss[i])
    f <- ms[3] / ms[4]
    say(paste(name, "f"), f)
    say(paste(name, "p"), pf(f, df[3], df[4], lower.tail = FALSE))
    # Modified large samples (Burdick, Borror and Montgomery 2005); rows part, operator, interaction, error.
    np <- nlevels(d$part); no <- nlevels(d$operator); nr <- nrow(d) / (np * no)
    g <- 1 - df / qchisq(0.975, df); h <- df / qchisq(0.025, df) - 1
    say(paste(name, "ev lower"), df[4] * ms[4] / qchisq(0.975, df[4]))
    say(paste(name, "ev upper"), df[4] * ms[4] / qchisq(0.025, df[4]))
    grr <- c(0, 1, np - 1, np * (nr - 1)) * ms / (np * nr)
    say(paste(name, "grr lower"), max(0, sum(grr) - sqrt(sum((g * grr)^2))))
    say(paste(name, "grr upper"), sum(grr) + sqrt(sum((h * grr)^2)))
    f1 <- qf(0.975, df[1], df[3]); f2 <- qf(0.025, df[1], df[3])
    g13 <- ((f1 - 1)^2 - g[1]^2 * f1^2 - h[3]^2) / f1; h13 <- ((1 - f2)^2 - h[1]^2 * f2^2 - g[3]^2) / f2
    pv <- (ms[1] - ms[3]) / (no * nr)
    say(paste(name, "pv lower"), max(0, pv - sqrt(g[1]^2 * ms[1]^2 + h[3]^2 * ms[3]^2 + g13 * ms[1] * ms[3]) / (no * nr)))
    say(paste(name, "pv upper"), pv + sqrt(h[1]^2 * ms[1]^2 + g[3]^2 * ms[3]^2 + h13 * ms[1] * ms[3]) / (no * nr))
    p <- summary(aov(y ~ part + operator, d))[[1]]
    say(paste(name, "pooled"), p[["Mean Sq"]][3])
  }
  # A restart from the first optimum: bobyqa ends at its trust radius.
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12), calc.derivs = FALSE,
                         check.conv.singular = "ignore")
  m <- lmer(y ~ 1 + (1 | part) + (1 | operator) + (1 | part:operator), d, control = control)
  m <- update(m, start = getME(m, "theta"))
  v <- as.data.frame(VarCorr(m))
  of <- function(group) v$vcov[v$grp == group]
  say(paste(name, "reml part"), of("part"))
  say(paste(name, "reml operator"), of("operator"))
  say(paste(name, "reml part x operator"), of("part:operator"))
  say(paste(name, "reml repeatability"), of("Residual"))
  say(paste(name, "criterion"), REMLcrit(m))
}
# In pieces: over an infinite range integrate() keeps nine digits.
pieces <- function(f, from) sum(sapply(from, function(k) integrate(f, k, k + 1, rel.tol = 1e-13, abs.tol = 1e-18)$value))
# Density of the range: n (n - 1) int phi(x) phi(x + r) (Phi(x + r) - Phi(x))^(n - 2) dx.
range_density <- function(r, n) sapply(r, function(r) {
  pieces(function(x) n * (n - 1) * dnorm(x) * dnorm(x + r) * (pnorm(x + r) - pnorm(x))^(n - 2), -9:8 - r / 2)
})
for (n in c(2:10, 15, 25)) {
  say(paste("c4", n), sqrt(2 / (n - 1)) * exp(lgamma(n / 2) - lgamma((n - 1) / 2)))
  say(paste("d2", n), 2 * pieces(function(x) -expm1(n * pnorm(x, log.p = TRUE)) - pnorm(-x)^n, 0:8))
  say(paste("r2", n), pieces(function(r) r^2 * range_density(r, n), 0:13))
}
for (df in c(1, 2.5, 15, 120)) {
  say(paste("t", df), qt(0.975, df))
  say(paste("chi2", df), qchisq(0.025, df))
  say(paste("fq", df), qf(0.975, df, 8))
  say(paste("fp", df), pf(3.7, 4, df, lower.tail = FALSE))
}
say("z", qnorm(0.99865))
say("binomial lower", binom.test(47, 50)$conf.int[1])
say("binomial upper", binom.test(47, 50)$conf.int[2])
