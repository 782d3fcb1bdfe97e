import type { Scenario } from '../scenario.ts';
import { damagedPages } from './damaged-pages.ts';
import { fullDisk } from './full-disk.ts';
import { keepAlivePosts } from './keep-alive-posts.ts';
import { killNine } from './kill-nine.ts';
import { nodeToAdmin } from './node-to-admin.ts';
import { silentHandshakes } from './silent-handshakes.ts';
import { stallingBodiesScenario } from './stalling-bodies.ts';

/** All scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  silentHandshakes,
  stallingBodiesScenario,
  keepAlivePosts,
  killNine,
  fullDisk,
  damagedPages,
  nodeToAdmin,
];
