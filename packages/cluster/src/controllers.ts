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
import { podRangeOf } from './addresses.ts';
import type { ClusterContext } from './cluster.ts';
import { volumePlugin } from './default-storage-class.ts';
import { controllerManager, systemAccount } from './identities.ts';

/** Those without which no cluster gets ready come first, where there is something for the others to wait for. */
export function newControllers(context: ClusterContext, whenOthersMay?: Promise<void>): ControllerManager {
  const { options, clockOf, random, logger, clientOf } = context;
  const { controllers = ['*'], freezeCaches = false } = options;
  const clock = clockOf('controllers');
  const rest = clientOf('controllers', controllerManager);
  const clientBuilder: ClientBuilder = {
    clientFor(controller) {
      const account = serviceAccountOf(controller);
      return account === undefined ? rest : clientOf('controllers', systemAccount(account));
    },
  };
  return new ControllerManager({
    rest,
    clientBuilder,
    controllers: chosenControllers(allControllers(controllerOptions(context)), controllers),
    clock,
    // By a clock that is turned it would never be time.
    coalesceMs: clock === systemClock ? defaultCoalesceMs : 0,
    random,
    logger,
    freezeCaches,
    ...(whenOthersMay && { whenOthersMay }),
  });
}

/** The controllers sign with what the server trusts. */
function controllerOptions({ options, server: { authority } }: ClusterContext): AllControllersOptions {
  const { ca, servingTrust, serviceAccountKey } = authority;
  const { certificate, key } = ca;
  return {
    rootCA: servingTrust,
    ...(key && { signing: { authorities: () => ({ certificate, key }) } }),
    signToken: (claims) => signJwt(claims, serviceAccountKey),
    persistentVolumeBinder: { plugins: [volumePlugin] },
    nodeIpam: { clusterCIDRs: [podRangeOf(options)] },
  };
}
