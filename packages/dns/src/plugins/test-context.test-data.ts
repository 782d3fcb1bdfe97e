import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { InProcessTransport, ClientSet, RESTClient, noMetrics } from '@coxswain/client';
import type { Handler, Plugin, Query, Reply } from '../chain/index.ts';
import { SharedWatches } from '../cluster/index.ts';
import { parseCorefile } from '../corefile/index.ts';
import { DnsMetrics } from '../metrics/index.ts';
import { plugins, type ServerSettings, type SetupContext } from './index.ts';
import { recordText, typeByName } from '../wire/index.ts';

export interface TestContext extends SetupContext {
  readonly clock: FakeClock;
  readonly log: readonly string[];
}

/** What plug-ins are set up with in tests: a clock that stands still, and no files. */
export function testContext(files: Readonly<Record<string, string>> = {}): TestContext {
  const clock = new FakeClock(1_700_000_000_000);
  const { logger, lines } = recordLogs();
  const rest = new RESTClient(new InProcessTransport({} as never));
  return {
    clock,
    log: lines,
    logger,
    random: () => 0,
    metrics: new DnsMetrics(),
    metricsText: () => '',
    files: { read: async (path) => files[path] },
    pages: { add: () => {} },
    watches: new SharedWatches({ clients: new ClientSet(rest), clock, random: () => 0, logger, metrics: noMetrics }),
    localAddresses: () => [],
    listening: () => undefined,
    notReady: () => [],
    forgetAnswers: () => {},
    fail: () => {},
    block: { file: 'Corefile', line: 1, zones: [{ zone: '.', port: 53 }], pluginNames: [] },
  };
}

/** Sets up the only plug-in of a server block. */
export async function setUp(
  text: string,
  context: SetupContext,
): Promise<{ plugin: Plugin; settings: ServerSettings }> {
  const settings: ServerSettings = { reloadIntervalMs: 0, lameduckMs: 0, startupTimeoutMs: 0 };
  const [block] = parseCorefile(`.:53 {\n${text}\n}`);
  const name = block?.directives[0]?.name ?? '';
  const setup = plugins.get(name);
  if (!block || !setup) throw new Error(`there is no plug-in ${name}`);
  return { plugin: await setup(block.directives, context, settings), settings };
}

export const testQuery = (name: string, type = 'A', more: Partial<Query> = {}): Query => ({
  id: 1,
  flags: 0x0100,
  question: { name, type: typeByName(type) ?? 0, class: 1 },
  name: name.toLowerCase(),
  edns: undefined,
  size: 40,
  client: { address: '192.0.2.7', port: 4000, family: 4, protocol: 'udp' },
  server: 'dns://:53',
  zone: '.',
  lookup: () => Promise.reject(new Error('no lookups here')),
  ...more,
});

/** The answers of a reply, as text. */
export const answersOf = ({ answers }: Reply): string[] => answers.map(recordText);

/** Sets up a plug-in, and returns its handler in front of `next`. */
export async function handlerOf(text: string, context: SetupContext, next: Handler): Promise<Handler> {
  const { plugin } = await setUp(text, context);
  const handler = plugin.handler?.(next);
  if (!handler) throw new Error(`${plugin.name} has no handler`);
  return handler;
}
