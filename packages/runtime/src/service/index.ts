import type { RuntimeServiceHandlers } from '@coxswain/cri';
import type { RuntimeContext } from '../lifecycle/index.ts';
import { StatsReader } from '../stats/index.ts';
import type { StreamingServer } from '../streaming/index.ts';
import { containerHandlers } from './container-handlers.ts';
import { nodeHandlers, type RuntimeName } from './node-handlers.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { streamingHandlers } from './streaming-handlers.ts';

/** All calls of CRI's runtime service. */
export function runtimeServiceHandlers(
  context: RuntimeContext,
  server: StreamingServer,
  name: RuntimeName,
): RuntimeServiceHandlers {
  const stats = new StatsReader(context);
  return {
    ...nodeHandlers(context, stats, name),
    ...sandboxHandlers(context, stats),
    ...containerHandlers(context, stats),
    ...streamingHandlers(context, server),
  };
}
