import { setupCache } from './cache/cache.ts';
import { setupErrors } from './errors.ts';
import { setupForward } from './forward/forward.ts';
import { setupHosts } from './hosts/hosts.ts';
import { setupKubernetes } from './kubernetes/kubernetes.ts';
import { setupLoadbalance } from './loadbalance.ts';
import { setupLog } from './log.ts';
import { setupLoop } from './loop.ts';
import { setupHealth, setupPrometheus, setupReady, setupReload } from './pages.ts';
import { setupRewrite } from './rewrite/rewrite.ts';
import type { Setup } from './setup/index.ts';
import { setupTemplate } from './template/template.ts';

export type {
  ConfigurationFiles,
  Page,
  ServerSettings,
  Setup,
  SetupContext,
} from './setup/index.ts';

/** All plug-ins, in the order in which a query passes through them, which is CoreDNS' order. The order in a Corefile does not matter. */
export const plugins: ReadonlyMap<string, Setup> = new Map<string, Setup>([
  ['reload', setupReload],
  ['ready', setupReady],
  ['health', setupHealth],
  ['prometheus', setupPrometheus],
  ['errors', setupErrors],
  ['log', setupLog],
  ['loadbalance', setupLoadbalance],
  ['rewrite', setupRewrite],
  ['cache', setupCache],
  ['template', setupTemplate],
  ['hosts', setupHosts],
  ['kubernetes', setupKubernetes],
  ['loop', setupLoop],
  ['forward', setupForward],
]);
