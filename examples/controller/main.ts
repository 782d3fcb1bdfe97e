/** Runs the controller against the cluster of your kubeconfig: `npx tsx examples/controller/main.ts`. */
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { runController } from './controller.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const rest = RESTClient.forConfig({ ...(await loadRestConfig()), userAgent: 'team-labels' });
console.log('labelling Deployments by the team of their namespace; Ctrl-C ends it');
await runController(new ClientSet(rest), stop.signal);
