import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Commands, HelperCommands, type RunOptions } from '@coxswain/linux';
import { PinnedNamespaces } from '../../namespaces/pinned-namespaces.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

/** Why networks of pods cannot be tested here; undefined if they can. */
export function networkTestProblem(...programs: readonly string[]): string | undefined {
  if (!isRoot) return 'not root';
  const missing = ['ip', 'nsenter', 'bash', ...programs].filter((program) => !has(program));
  return missing.length === 0 ? undefined : `no ${missing.join(', ')}`;
}

/** Runs programs in a network namespace, so that rules and interfaces of tests are not those of this machine. */
export class CommandsInside implements Commands {
  readonly #commands: HelperCommands;
  readonly #netns: string;

  constructor(commands: HelperCommands, netns: string) {
    this.#commands = commands;
    this.#netns = netns;
  }

  run(argv: readonly string[], options?: RunOptions) {
    return this.#commands.run(['nsenter', `--net=${this.#netns}`, '--', ...argv], options);
  }

  close(): void {
    this.#commands.close();
  }
}

/** Answers each connection and each datagram with the address that it came from. */
const echo = `
const [port] = process.argv.slice(1);
const { createServer } = require('node:net');
const { createSocket } = require('node:dgram');
createServer((socket) => { socket.on('error', () => {}); socket.end(socket.remoteAddress.replace('::ffff:', '') + '\\n'); }).listen({ port, host: '::' }, () => {
  const udp = createSocket('udp6');
  udp.on('message', (_, from) => udp.send(from.address.replace('::ffff:', '') + '\\n', from.port, from.address));
  udp.bind(port, '::', () => console.log('ready'));
});
`;

/**
 * A node and a machine outside of it, as network namespaces: the node is 192.0.2.1 and 2001:db8::1, the other one 192.0.2.2 and 2001:db8::2,
 * which sends all packets for others to the node.
 */
export class TestMachine {
  readonly directory: string;
  readonly commands: Commands;
  readonly node: string;
  readonly remote: string;
  readonly namespaces: PinnedNamespaces;
  readonly #servers: ChildProcess[] = [];

  private constructor(directory: string, namespaces: PinnedNamespaces, helper: HelperCommands) {
    this.directory = directory;
    this.namespaces = namespaces;
    this.node = join(directory, 'namespaces', 'node', 'net');
    this.remote = join(directory, 'namespaces', 'remote', 'net');
    this.commands = new CommandsInside(helper, this.node);
  }

  static async start(): Promise<TestMachine> {
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-network-'));
    const helper = new HelperCommands();
    const namespaces = new PinnedNamespaces({ directory: join(directory, 'namespaces'), commands: helper });
    for (const id of ['node', 'remote']) await namespaces.make({ id, types: ['net'] });
    const machine = new TestMachine(directory, namespaces, helper);
    await machine.sh(
      machine.node,
      `ip link add up0 type veth peer name up0 netns ${machine.remote}
       ip address add 192.0.2.1/24 dev up0; ip address add 2001:db8::1/64 dev up0 nodad; ip link set up0 up`,
    );
    await machine.sh(
      machine.remote,
      `ip address add 192.0.2.2/24 dev up0; ip address add 2001:db8::2/64 dev up0 nodad; ip link set up0 up
       ip route add default via 192.0.2.1; ip route add default via 2001:db8::1`,
    );
    return machine;
  }

  /** A network namespace for a pod. */
  async pod(id: string): Promise<string> {
    const { net } = await this.namespaces.make({ id, types: ['net'] });
    return net!;
  }

  async sh(netns: string, script: string): Promise<string> {
    const { stdout } = await promisify(execFile)('nsenter', [`--net=${netns}`, '--', 'sh', '-ec', script]);
    return stdout;
  }

  /** What a network can leave on the node: interfaces, routes, rules of firewalls, and files of configurations and records. */
  async traces(): Promise<string> {
    const rules = `nft list ruleset; iptables-legacy-save 2>/dev/null; ip6tables-legacy-save 2>/dev/null`;
    const files = `cd ${this.directory}; find . -path ./namespaces -prune -o -type f -print | sort`;
    // Tables and chains without rules are what iptables itself leaves.
    const isNone = String.raw`^\s*(table .*|chain .*|type .*|[}#:*].*|COMMIT|)$`;
    return await this.sh(
      this.node,
      `ip -oneline link | cut -d: -f2; ip route | sed 's/ linkdown//'; (${rules}) | grep -vE '${isNone}' || true; (${files})`,
    );
  }

  /** Overwrites all records of pods. */
  async damageRecords(): Promise<void> {
    await this.sh(
      this.node,
      `find ${this.directory}/state -type f -path '*/attachments/*' -o -type f -path '*/pods/*' | while read -r file; do echo '{' >"$file"; done`,
    );
  }

  /** Starts a server on a port of TCP and UDP, which answers with the address that it sees. */
  async serve(netns: string, port: number): Promise<void> {
    const server = spawn('nsenter', [`--net=${netns}`, '--', process.execPath, '-e', echo, String(port)]);
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', () => resolve());
      server.stderr.on('data', (text) => reject(new Error(String(text))));
      server.on('exit', () => reject(new Error('the server ended')));
    });
  }

  /** The address that a server sees of a client; or why it cannot be reached. */
  async ask(protocol: 'tcp' | 'udp', netns: string, address: string, port: number, seconds = 10): Promise<string> {
    const script = `exec 3<>/dev/${protocol}/${address}/${port}; ${protocol === 'udp' ? 'echo >&3; ' : ''}head -n 1 <&3`;
    const argv = [`--net=${netns}`, '--', 'timeout', String(seconds), 'bash', '-c', script];
    const { stdout } = await promisify(execFile)('nsenter', argv).catch(() => ({ stdout: 'unreachable' }));
    return stdout.trim() || 'unreachable';
  }

  /** Whether nobody answers at an address, within a second. */
  async isUnreachable(protocol: 'tcp' | 'udp', netns: string, address: string, port: number): Promise<boolean> {
    return (await this.ask(protocol, netns, address, port, 1)) === 'unreachable';
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.kill('SIGKILL');
    await this.namespaces.removeAll();
    this.commands.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
