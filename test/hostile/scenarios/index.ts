import type { Scenario } from '../scenario.ts';
import { keepAlivePosts } from './keep-alive-posts.ts';
import { silentHandshakes } from './silent-handshakes.ts';

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [silentHandshakes, keepAlivePosts];
