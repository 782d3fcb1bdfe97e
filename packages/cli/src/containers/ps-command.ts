import { boolean, flag } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import { connectRuntime } from '@coxswain/cri';
import { columns } from '../columns.ts';
import type { CoxContext } from '../context.ts';
import { outputFlag, outputFormat, printed } from '../output.ts';
import { endpointOf, runtimeFlags } from './runtime-flags.ts';

const flags = {
  ...runtimeFlags,
  all: { ...flag(boolean, 'Containers that have ended, too', false), shorthand: 'a' },
  output: outputFlag,
};

const states: Readonly<Record<string, string>> = {
  CONTAINER_CREATED: 'Created',
  CONTAINER_RUNNING: 'Running',
  CONTAINER_EXITED: 'Exited',
};

export const psCommand: CommandBody<CoxContext> = {
  long: 'List the containers of this machine, as its container runtime knows them.',
  flags,
  async run(invocation) {
    const { terminal } = invocation.context;
    const given = invocation.flags(flags);
    const format = outputFormat(given.output);
    const { runtime, close } = await connectRuntime(await endpointOf(invocation));
    try {
      const filter = given.all ? {} : { state: { state: 'CONTAINER_RUNNING' as const } };
      const { containers } = await runtime.listContainers({ filter });
      if (format) {
        terminal.out(await printed({ containers: containers.map(printable) }, format));
        return 0;
      }
      const rows = containers
        .toSorted((a, b) => Number(b.createdAt - a.createdAt))
        .map(({ id, image, createdAt, state, metadata, labels }) => [
          id.slice(0, 13),
          image?.userSpecifiedImage || image?.image || '',
          ageText(Date.now() - Number(createdAt / 1_000_000n)),
          states[state] ?? 'Unknown',
          metadata?.name ?? '',
          String(metadata?.attempt ?? 0),
          labels['io.kubernetes.pod.namespace'] ?? '',
          labels['io.kubernetes.pod.name'] ?? '',
        ]);
      const titles = ['CONTAINER', 'IMAGE', 'CREATED', 'STATE', 'NAME', 'ATTEMPT', 'NAMESPACE', 'POD'];
      terminal.out(columns([titles, ...rows]));
      return 0;
    } finally {
      close();
    }
  },
};

/** JSON has no integers of 64 bits. */
const printable = <T extends { readonly createdAt: bigint }>(container: T) => ({
  ...container,
  createdAt: String(container.createdAt),
});

const spans: readonly (readonly [unit: string, ms: number])[] = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
];

/** Formats a time span in its largest unit: `5 minutes ago`. */
function ageText(ms: number): string {
  const [unit, size] = spans.find(([, each]) => ms >= 2 * each) ?? ['seconds', 1000];
  return `${Math.max(Math.floor(ms / size), 0)} ${unit} ago`;
}
