/**
 * Runs the controller of `At` against the cluster of your kubeconfig: `npx tsx examples/cnat/main.ts`, after
 * `kubectl apply -f examples/manifests/at-crd.yaml`.
 */
import { RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { runAtController } from './controller.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
console.log('watching Ats; Ctrl-C ends it');
await runAtController(RESTClient.forConfig(await loadRestConfig()), stop.signal);
