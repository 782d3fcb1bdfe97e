import { signJwt } from '@coxswain/client/jwt';
import {
  type AllControllersOptions,
  allControllers,
  type ClientBuilder,
  ControllerManager,
  chosenControllers,
  serviceAccountOf,
} from '@coxswain/controllers';
import type { ClusterContext } from './cluster.ts';
import { controllerManager, systemAccount } from './identities.ts';

/** Pods' addresses on hollow nodes are from these: a range for each node. */
const clusterCIDRs = ['10.244.0.0/16'];

export function newControllers(context: ClusterContext): ControllerManager {
  const { options, clockOf, random, logger, clientOf } = context;
  const { controllers = ['*'], freezeCaches = false } = options;
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
    clock: clockOf('controllers'),
    random,
    logger,
    freezeCaches,
  });
}

/** The controllers sign with what the server trusts. */
function controllerOptions({ server: { authority } }: ClusterContext): AllControllersOptions {
  const { ca, servingTrust, serviceAccountKey } = authority;
  const { certificate, key } = ca;
  return {
    rootCA: servingTrust,
    ...(key && { signing: { authorities: () => ({ certificate, key }) } }),
    signToken: (claims) => signJwt(claims, serviceAccountKey),
    nodeIpam: { clusterCIDRs },
  };
}
