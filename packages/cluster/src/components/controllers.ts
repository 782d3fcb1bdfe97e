import { systemClock } from '@coxswain/client';
import { signJwt } from '@coxswain/client/jwt';
import {
  type AllControllersOptions,
  allControllers,
  type ClientBuilder,
  ControllerManager,
  chosenControllers,
  defaultCoalesceMs,
  serviceAccountOf,
} from '@coxswain/controllers';
import type { Component, ComponentContext } from '../component.ts';
import { controllerManager, systemAccount } from '../identities.ts';
import { untilPodsMayCome } from '../ready.ts';
import { volumePlugin } from './default-storage-class.ts';

export interface ControllersSettings {
  /** The controllers to run, in the syntax of `--controllers`; those that run by default when absent. */
  readonly controllers?: readonly string[];
}

/** kube-controller-manager. Each controller uses its own service account. */
export const controllers = (settings: ControllersSettings = {}): Component => ({
  name: 'controllers',
  userAgent: 'kube-controller-manager',
  start(context) {
    const manager = newControllerManager(settings, context);
    return {
      ended: manager.run(context.signal),
      ready: untilPodsMayCome,
      get isIdle() {
        return manager.activity.isIdle;
      },
    };
  },
});

function newControllerManager(settings: ControllersSettings, context: ComponentContext): ControllerManager {
  const { controllers: chosen = ['*'] } = settings;
  const { clientAs, clock, random, eventLoop, logger, freezeCaches } = context;
  const rest = clientAs(controllerManager);
  const clientBuilder: ClientBuilder = {
    clientFor(controller) {
      const account = serviceAccountOf(controller);
      return account === undefined ? rest : clientAs(systemAccount(account));
    },
  };
  return new ControllerManager({
    rest,
    clientBuilder,
    controllers: chosenControllers(allControllers(controllerOptions(context)), chosen),
    clock,
    // With a test clock the delay would never pass.
    coalesceMs: clock === systemClock ? defaultCoalesceMs : 0,
    random: random.number,
    eventLoop,
    logger,
    freezeCaches,
  });
}

/** The controllers sign with the CA and keys that the server trusts. */
function controllerOptions({ authority, nodes }: ComponentContext): AllControllersOptions {
  const { ca, servingTrust, serviceAccountKey } = authority;
  const { certificate, key } = ca;
  return {
    rootCA: servingTrust,
    ...(key && { signing: { authorities: () => ({ certificate, key }) } }),
    signToken: (claims) => signJwt(claims, serviceAccountKey),
    persistentVolumeBinder: { plugins: [volumePlugin(nodes)] },
    nodeIpam: { clusterCIDRs: nodes.podRanges },
  };
}
