# shellcheck shell=sh
# The package's life after its installation: upgrade, removal, return, purge.
after_reboot() {  # the service is there again, and the sequence goes on
  until_true says '^active$' property datumd.service ActiveState && boards_are "$(cat $state/before)" && passes
}
upgrade() {
  echo '# by the engineer' >>/etc/datumd/datumd.toml
  mkdir -p /etc/systemd/system/datumd.service.d
  printf '[Service]\nEnvironment=SITE=hall-3\n' >/etc/systemd/system/datumd.service.d/site.conf
  sha256sum /etc/datumd/*.toml /etc/datumd/*/*.toml >$state/configuration
  stored >$state/results
  before=$(property datumd.service MainPID)
  apt_install /payload/datumd.deb || return
  sha256sum --quiet -c $state/configuration && stored | cmp - $state/results &&
    says '^active$' property datumd.service ActiveState && [ "$(property datumd.service MainPID)" != "$before" ] &&
    says SITE=hall-3 property datumd.service Environment && fails says before dpkg-query -Wf '${Version}' datumd &&
    passes
}
refused_upgrade() {  # a configuration that it refuses does not break the package
  echo 'unknown_key = 1' >>/etc/datumd/datumd.toml
  says "not running again" apt_install --reinstall /payload/datumd.deb &&
    says 'install ok installed' dpkg-query -Wf '${Status}' datumd
  refused=$?
  sed -i '/^unknown_key/d' /etc/datumd/datumd.toml
  systemctl reset-failed datumd.service
  systemctl restart datumd.service && return $refused
}
removal() {
  sha256sum /etc/datumd/*.toml /etc/datumd/*/*.toml >$state/configuration
  stored >$state/results
  DEBIAN_FRONTEND=noninteractive apt-get remove -y -qq datumd || return
  fails pgrep -x datumd && fails test -e /usr/bin/datumd && sha256sum --quiet -c $state/configuration &&
    test -s /var/lib/datumd/results.db && test -d /var/lib/datumd/left
}
came_back() {
  apt_install /payload/datumd.deb && stored | cmp - $state/results && systemctl start datumd.service &&
    says enabled systemctl is-enabled datumd.service && passes
}
purge() {
  DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq datumd || return
  for place in /etc/datumd /var/lib/datumd /var/log/datumd /usr/share/doc/datumd /usr/lib/systemd/system/datumd.service; do
    fails test -e $place || { echo "left: $place"; return 1; }
  done
  left=$(find /etc/systemd/system -name 'datumd*' -type l)
  [ -z "$left" ] || { echo "left: $left"; return 1; }
}
completions() {  # the shells find them where Debian's look
  bash -c '. /usr/share/bash-completion/completions/datumctl && complete -p datumctl' &&
    test -s /usr/share/zsh/vendor-completions/_datumctl && test -s /usr/share/fish/vendor_completions.d/datumctl.fish
}
pages() {
  for page in man1/datumctl.1 man5/datumd.toml.5 man7/datumd-protocol.7 man7/datumd-reasons.7 man8/datumd.8; do
    zcat "/usr/share/man/$page.gz" | grep -q '^\.TH' || { echo "$page"; return 1; }
  done
}
