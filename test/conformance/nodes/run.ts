/** `npm run conformance:nodes`: two real nodes on this machine. See ../README.md. */
import { mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { interruptible } from '../interruptible.ts';
import { type ContainerdKind, containerdKinds, isContainerdKind } from './containerd-kind.ts';
import { prepareNodes } from './prepare.ts';
import { setUp } from './set-up.ts';
import { findRemains, planTakeDown, takeDown } from './take-down.ts';

const usage = `Usage: npm run conformance:nodes -- up --kubeconfig FILE [options]
       npm run conformance:nodes -- down

up makes nodes on this machine and attaches them to a cluster, whose API server must listen on all addresses here and
have been started with --advertise-address 10.200.0.1. Needs root and Go. down takes everything away again, also after
a crash.

  --kubeconfig <file>   of an administrator
  --nodes <count>       number of nodes (default: 2)
  --reference           with the real kubelet instead of ours
  --containerd <which>  built (2.1, the default) or debian (that of Debian's package)
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kubeconfig: { type: 'string' },
        nodes: { type: 'string', default: '2' },
        reference: { type: 'boolean', default: false },
        containerd: { type: 'string', default: 'built' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [command, ...more] = positionals;
    if (values.help) process.stdout.write(usage);
    else if (command === 'down' && more.length === 0) await down();
    else if (command === 'up' && more.length === 0) {
      if (values.kubeconfig === undefined) throw new Error('up needs --kubeconfig');
      const containerd = containerdKind(values.containerd);
      await interruptible(say, (signal) => up({ ...values, kubeconfig: values.kubeconfig!, containerd, signal }));
    } else throw new Error(usage.trimEnd());
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

function containerdKind(text: string): ContainerdKind {
  if (isContainerdKind(text)) return text;
  throw new Error(`--containerd ${text} is not one of ${containerdKinds.join(', ')}`);
}

async function up(options: {
  readonly kubeconfig: string;
  readonly nodes: string;
  readonly reference: boolean;
  readonly containerd: ContainerdKind;
  readonly signal: AbortSignal;
}): Promise<void> {
  const logs = fileURLToPath(new URL('../.cache/logs/nodes', import.meta.url));
  await mkdir(logs, { recursive: true });
  const prepared = await prepareNodes({ ...options, say });
  await setUp({ ...options, ...prepared, nodes: Number(options.nodes), logs, say });
  say(`logs: ${relative(process.cwd(), logs)}; take the nodes down with npm run conformance:nodes -- down`);
}

async function down(): Promise<void> {
  const steps = planTakeDown(await findRemains());
  await takeDown();
  say(steps.length > 0 ? 'the nodes are down' : 'there were no nodes');
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
