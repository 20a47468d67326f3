# shellcheck shell=sh
# Whoever signs the chain of results: its key, its state, its socket, its units.
signed_cell() {
  (
    umask 077
    openssl genpkey -algorithm ed25519 -out $state/signing-key.pem &&
      encrypted_with host &&
      openssl pkey -in $state/signing-key.pem -pubout -out /etc/datumd/signing-key.pub
  ) || { echo "no key"; return 1; }
  chmod 0644 /etc/datumd/signing-key.pub
  systemctl enable -q --now datumd-sign.socket &&
    cell_with '[signatures]' 'socket = "/run/datumd-sign/datumd.sock"' 'every_results = 1' && passes &&
    until_true verified
}
encrypted_with() {  # host, host+tpm2: the key's file as the manual says
  systemd-creds encrypt --with-key="$1" --name=signing-key $state/signing-key.pem /etc/datumd/signing-key.cred 2>/dev/null
}
# The newest head of the chain, as a host has it, and the store against it.
verified() {
  datumctl signature >/tmp/newest.head && grep -q '^signature ' /tmp/newest.head &&
    datumctl verify results --store $store --public-key /etc/datumd/signing-key.pub --head /tmp/newest.head
}
as_datumd() { runuser -u datumd -- "$@"; }

# Neither key nor memory of the signer, nor what it keeps, by datumd's account.
key_out_of_reach() {
  verified >/dev/null || { echo "nothing is signed"; return 1; }
  signer=$(property datumd-sign.service MainPID)
  [ "${signer:-0}" -gt 1 ] || { echo "no signer"; return 1; }
  for secret in /etc/datumd/signing-key.cred /run/credentials/datumd-sign.service/signing-key "/proc/$signer/mem" "/proc/$signer/environ"; do
    ! as_datumd head -c 1 "$secret" >/dev/null 2>&1 || { echo "datumd reads $secret"; return 1; }
  done
  for folder in /var/lib/datumd-sign/datumd /run/credentials/datumd-sign.service; do
    ! as_datumd ls "$folder" >/dev/null 2>&1 || { echo "datumd lists $folder"; return 1; }
    ! as_datumd touch "$folder/x" 2>/dev/null || { echo "datumd writes to $folder"; return 1; }
  done
  fails as_datumd kill -0 "$signer" 2>/dev/null
}
key_in_reach() {
  chmod 0644 /etc/datumd/signing-key.cred
  key_out_of_reach
  hidden=$?
  chmod 0600 /etc/datumd/signing-key.cred
  return $hidden
}

# What datumd's account may ask for: never another history, never the head of nothing; and nobody else asks at all.
asked_to_sign() {  # LINK SHA-256
  as_datumd perl /payload/attack.pl sign /run/datumd-sign/datumd.sock "$(sed -n 's/^store //p' /tmp/newest.head)" "$1" "$2"
}
other_history() {  # LINK SHA-256: is refused, and the signer still signs
  said=$(asked_to_sign "$1" "$2")
  case $said in REFUSED*) ;; *) echo "answered: $said"; return 1 ;; esac
  passes && until_true verified
}
no_other_history() {
  until_true verified || return
  other_history 1 ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff &&
    other_history 0 0000000000000000000000000000000000000000000000000000000000000000 &&
    fails runuser -u nobody -- perl /payload/attack.pl sign /run/datumd-sign/datumd.sock 0000000000000000 1 x
}
own_history() {
  until_true verified || return 0  # the probe would then hold for nothing
  # shellcheck disable=SC2046
  other_history $(sed -n 's/^link //p' /tmp/newest.head)
}
signer_fenced() { exposure datumd-sign.service; }
nobody_fenced() { exposure systemd-udevd.service; }

# A TPM as a program, where the system manager looks for one: system.sh. Its seed lies in a folder of this name.
tpm() {
  systemctl stop attacked-tpm 2>/dev/null
  mkdir -p "/run/$1"
  rm -f /run/tpm.sock /run/tpm.sock.ctrl
  systemd-run -q --unit=attacked-tpm swtpm socket --tpm2 --tpmstate "dir=/run/$1" --flags not-need-init,startup-clear \
    --server type=unixio,path=/run/tpm.sock --ctrl type=unixio,path=/run/tpm.sock.ctrl
  until_true test -S /run/tpm.sock && until_true test -S /run/tpm.sock.ctrl
}
# The disk in another computer: the signer signs here by this file, and does not start there.
bound_to_this_computer() {  # WITH-KEY, STATUS where it does not sign here: the probe would then hold for nothing
  export SYSTEMD_TPM2_DEVICE=swtpm:path=/run/tpm.sock
  tpm own-tpm && encrypted_with "$1" && systemctl restart datumd-sign.service && passes && until_true verified ||
    { echo "nothing is signed by a key encrypted with $1"; return "$2"; }
  tpm other-tpm && fails systemctl restart datumd-sign.service 2>/dev/null
  bound=$?
  tpm own-tpm
  systemctl reset-failed datumd-sign.service datumd-sign.socket 2>/dev/null
  systemctl restart datumd-sign.socket datumd-sign.service
  return $bound
}
key_of_a_tpm() { bound_to_this_computer host+tpm2 1; }
key_of_the_disk() { bound_to_this_computer host 0; }
