import type { UserInfo } from '@coxswain/api';
import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import { flowSchemas, priorityLevels } from '../bootstrap/index.ts';
import type { RequestInfo } from '../http/request-context.ts';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { Flow } from './flow.ts';
import { FlowController, type FlowControllerOptions } from './flow-controller.ts';
import { FlowMetrics } from './flow-metrics.ts';
import { FlowRequest } from './flow-request.ts';
import { PriorityLevel } from './priority-level.ts';

/** Returns the RequestInfo of a get of pods, with the given overrides. */
export const infoOf = (some: Partial<RequestInfo> = {}): RequestInfo => ({
  isResourceRequest: true,
  path: '',
  verb: 'get',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
  ...some,
});

export const noQuery = new URLSearchParams();
export const userOf = (username: string, ...groups: string[]): UserInfo => ({
  username,
  groups: [...groups, 'system:authenticated'],
});

/** Returns a controller with the bootstrap configuration and a fake clock. */
export function newController(some: Partial<FlowControllerOptions> = {}) {
  const clock = new FakeClock(0);
  const controller = new FlowController({
    serverSeats: 600,
    clock,
    configuration: { levels: priorityLevels, schemas: flowSchemas },
    objectStats: () => undefined,
    sizeBasedLists: true,
    watchLists: true,
    ...some,
  });
  return { clock, controller };
}

/** Returns a level without a controller, and a function that makes requests for it. */
export function newLevel(clock = new FakeClock(0)) {
  const metrics = new FlowMetrics(() => clock.monotonic());
  const level = new PriorityLevel('level', { metadata: { name: 'level' } }, { type: 'reject' }, clock, metrics);
  const flow = new Flow({ metadata: { name: 'schema' } }, level, metrics);
  const requestOf = (
    distinguisher: string,
    work: Partial<Pick<FlowRequest, 'initialSeats' | 'finalSeats' | 'additionalLatencyMs'>> = {},
  ): FlowRequest => Object.assign(new FlowRequest(flow, distinguisher, userOf('user'), infoOf()), work);
  return { clock, level, queueSet: level.queueSet, flow, requestOf };
}

/** Returns a level with queues that neither lends nor borrows. */
export const limited = (name: string, shares: number, queues = 64): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues, handSize: 4, queueLengthLimit: 50 } },
    },
  },
});

/** Returns a FlowSchema that assigns all resource requests of a user, or of everybody, to a level. */
export const everything = (name: string, level: string, username = '*'): FlowSchema => ({
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 50,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: username } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
});

/** Returns a controller with one level that has all seats, for all requests that are not exempt. */
export function oneLevel({ serverSeats = 10, ...some }: Partial<FlowControllerOptions> = {}) {
  const made = newController({ serverSeats, ...some });
  made.controller.configure({ levels: [limited('one', 1000)], schemas: [everything('all', 'one')] });
  return made;
}
