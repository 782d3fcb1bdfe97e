/**
 * Node has neither sockets of whole packets, which conmon uses, nor a way into another network namespace. These programs are the bridges: a
 * few lines of Perl, which Debian's `perl-base` has on every machine. Each copies between its own input and output and a socket.
 */

/** Copies both ways. A packet of conmon begins with the number of the stream: 2 for output, 3 for errors. */
const copyPackets = `
sub out { my ($fh, $bytes) = @_; while (length $bytes) { my $n = syswrite($fh, $bytes); exit 0 unless defined $n; substr($bytes, 0, $n, ""); } }
sub relay {
  my ($socket) = @_; my $open = 1;
  while (1) {
    my $in = ""; vec($in, fileno($socket), 1) = 1; vec($in, 0, 1) = 1 if $open;
    my $ready = $in; next if select($ready, undef, undef, undef) < 0;
    if ($open && vec($ready, 0, 1)) {
      my $n = sysread(STDIN, my $bytes, 8192);
      if ($n) { send($socket, $bytes, 0); } else { $open = 0; shutdown($socket, 1); }
    }
    if (vec($ready, fileno($socket), 1)) {
      my $n = sysread($socket, my $packet, 65536);
      return unless $n;
      out(ord($packet) == 3 ? *STDERR : *STDOUT, substr($packet, 1));
    }
  }
}
`;

const attach = `
use Socket; $SIG{PIPE} = "IGNORE"; chdir $ARGV[0] or die "chdir: $!\\n";
${copyPackets}
socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!\\n";
connect($s, pack_sockaddr_un("attach")) or die "failed to connect to the container: $!\\n";
relay($s);
`;

/**
 * Starts a command by a runtime that leaves it alone, and waits for it as its new parent: so the command has the pipes themselves, which end
 * when it closes them. Exits with its code. Without its number, the runtime has not started it.
 */
const execDetached = `
my ($prctl, $pidFile) = splice(@ARGV, 0, 2);
syscall($prctl, 36, 1, 0, 0, 0) == 0 or die "prctl: $!\n";
my $runtime = fork() // die "fork: $!\n";
if (!$runtime) { exec(@ARGV); exit 127; }
waitpid($runtime, 0);
exit(125) if $?;
open(my $f, "<", $pidFile) or exit 125;
my $pid = <$f>; close($f); close(STDIN); close(STDOUT); close(STDERR);
waitpid($pid, 0);
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
`;

/** The number of the system call `prctl`, by Node's names of architectures. */
const prctlNumbers: Readonly<Record<string, number>> = {
  arm: 172,
  arm64: 167,
  ia32: 172,
  loong64: 167,
  ppc64: 171,
  riscv64: 167,
  s390x: 172,
  x64: 157,
};

/**
 * conmon starts a command with a terminal when it has been told twice to go on: once at once, and once when this program is attached, so
 * that nothing is lost. It answers with the number of the process, and at the end with its exit code.
 */
const execWithTerminal = `
use Socket; use Fcntl; $SIG{PIPE} = "IGNORE"; my $directory = shift @ARGV; chdir $directory or die "chdir: $!\\n";
${copyPackets}
pipe(my $sync, my $syncOut); pipe(my $attached, my $attachedOut); pipe(my $startIn, my $start);
fcntl($_, F_SETFD, 0) for ($syncOut, $attachedOut, $startIn);
my $child = fork();
if (!$child) {
  $ENV{_OCI_SYNCPIPE} = fileno($syncOut); $ENV{_OCI_ATTACHPIPE} = fileno($attachedOut); $ENV{_OCI_STARTPIPE} = fileno($startIn);
  open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); exec(@ARGV); exit 127;
}
close($_) for ($syncOut, $attachedOut, $startIn);
sub answer { my $line = readline($sync); return defined $line && $line =~ /"data": (-?\\d+)/ ? ($1, $line) : (-1, $line // ""); }
syswrite($start, "0");
readline($attached) // do { my (undef, $line) = answer(); print STDERR $line; exit 125; };
socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!\\n";
connect($s, pack_sockaddr_un("attach")) or die "failed to connect to the command: $!\\n";
if (open(my $size, "<", "size")) { if (open(my $control, ">", "ctl")) { syswrite($control, readline($size) // ""); } }
syswrite($start, "0");
my ($pid, $line) = answer();
if ($pid < 0) { open(my $f, ">", "failure"); print $f $line; exit 125; }
relay($s);
my ($code) = answer();
exit($code < 0 ? 137 : $code);
`;

/** Connects to a port of the network namespace that it runs in: IPv4 first, as \`localhost\` is resolved. Ends each direction for itself. */
const forward = `
use Socket; $SIG{PIPE} = "IGNORE"; my $port = $ARGV[0]; my ($s, $error);
for my $to ([AF_INET, pack_sockaddr_in($port, INADDR_LOOPBACK)], [AF_INET6, Socket::pack_sockaddr_in6($port, Socket::IN6ADDR_LOOPBACK())]) {
  socket($s, $to->[0], SOCK_STREAM, 0) or next;
  if (connect($s, $to->[1])) { $error = undef; last; }
  $error = "$!"; undef $s;
}
if (!$s || $error) { print STDERR "failed to connect to localhost:$port inside namespace: $error"; exit 1; }
sub out { my ($fh, $bytes) = @_; while (length $bytes) { my $n = syswrite($fh, $bytes); return 0 unless defined $n; substr($bytes, 0, $n, ""); } return 1; }
my ($reads, $writes) = (1, 1);
while ($reads || $writes) {
  my $in = ""; vec($in, 0, 1) = 1 if $writes; vec($in, fileno($s), 1) = 1 if $reads;
  my $ready = $in; next if select($ready, undef, undef, undef) < 0;
  if ($writes && vec($ready, 0, 1)) {
    my $n = sysread(STDIN, my $bytes, 65536);
    if (!$n || !out($s, $bytes)) { $writes = 0; shutdown($s, 1); }
  }
  if ($reads && vec($ready, fileno($s), 1)) {
    my $n = sysread($s, my $bytes, 65536);
    if (!$n || !out(*STDOUT, $bytes)) { last; }
  }
}
`;

/** Attaches to a container whose monitor has its files in that directory. */
export const attachCommand = (bundle: string): string[] => ['perl', '-e', attach, bundle];

/** Runs a command with a terminal in a container, by the words that start its monitor. */
export const execWithTerminalCommand = (directory: string, monitor: readonly string[]): string[] => [
  ...['perl', '-e', execWithTerminal, directory],
  ...monitor,
];

/** Runs a command in a container, by the words that let a runtime start it and write its number to a file. */
export function execDetachedCommand(pidFile: string, runtime: readonly string[], architecture: string): string[] {
  const prctl = prctlNumbers[architecture];
  if (prctl === undefined) throw new Error(`commands in containers are not supported on ${architecture}`);
  return ['perl', '-e', execDetached, String(prctl), pidFile, ...runtime];
}

/** Connects to a port on loopback; in a network namespace if there is one. */
export const forwardCommand = (netns: string | undefined, port: number): string[] => [
  ...(netns === undefined ? [] : ['nsenter', `--net=${netns}`, '--']),
  ...['perl', '-e', forward, String(port)],
];
