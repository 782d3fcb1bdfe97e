import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { RequestState } from '../filters/request-state.ts';
import { inProcessTransport } from '../http/in-process.ts';
import { flowControlDebugPages } from './debug-pages.ts';
import { infoOf, newController, noQuery, userOf } from './requests.test-data.ts';

function newPages() {
  const { clock, controller } = newController();
  const pages = flowControlDebugPages(controller, () => new Date('2026-01-02T03:04:05.600Z'));
  const transport = inProcessTransport((request) =>
    pages(new RequestState(request, request.path, { uuid: () => '', eventLoop: systemEventLoop })),
  );
  const get = async (page: string): Promise<[status: number, text: string]> => {
    const { status, body } = await transport({ method: 'GET', url: `/debug/api_priority_and_fairness/${page}` });
    return [status, body instanceof Uint8Array ? Buffer.from(body).toString() : ''];
  };
  return { clock, controller, get };
}

describe('the debug pages', () => {
  it('list the priority levels in upstream’s format', async () => {
    const { controller, get } = newPages();
    controller.start(userOf('admin', 'system:masters'), infoOf(), noQuery);
    expect(await get('dump_priority_levels')).toEqual([
      200,
      `\
PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests
catch-all,         0,            true,   false,       0,               0,                 0,                  0,                0,                0
exempt,            0,            false,  false,       0,               1,                 1,                  0,                0,                0
global-default,    0,            true,   false,       0,               0,                 0,                  0,                0,                0
leader-election,   0,            true,   false,       0,               0,                 0,                  0,                0,                0
node-high,         0,            true,   false,       0,               0,                 0,                  0,                0,                0
system,            0,            true,   false,       0,               0,                 0,                  0,                0,                0
workload-high,     0,            true,   false,       0,               0,                 0,                  0,                0,                0
workload-low,      0,            true,   false,       0,               0,                 0,                  0,                0,                0
`,
    ]);
  });

  it('list all queues, also unused ones', async () => {
    const { clock, controller, get } = newPages();
    const done = controller.start(userOf('alice'), infoOf(), noQuery);
    clock.turn(5);
    controller.finish(done);
    const [, text] = await get('dump_queues');
    const lines = text.split('\n');
    expect(lines[0]).toBe(
      'PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum',
    );
    expect(lines).toContain(
      'leader-election,   15,     0,               0,                 0,          0.00000000ss,  0,               0,           0.00000000ss',
    );
    expect(lines.filter((line) => / 0\.00500000ss, /.test(line))).toHaveLength(1);
    expect(lines).toHaveLength(1 + 16 + 2 * 64 + 3 * 128 + 1);
  });

  it('list the requests, with details on request', async () => {
    const { clock, controller, get } = newPages();
    const info = infoOf({ isResourceRequest: false, path: '/debug/api_priority_and_fairness/dump_requests' });
    controller.start(userOf('admin', 'system:masters'), { ...info, resource: '', apiVersion: '' }, noQuery);
    clock.turn(100);
    expect(await get('dump_requests?includeRequestDetails=1')).toEqual([
      200,
      `\
PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime,             InitialSeats, FinalSeats, AdditionalLatency, StartTime,              UserName, Verb,   APIPath,                                        Namespace, Name,   APIVersion, Resource, SubResource
exempt,            exempt,         -1,         -1,                  ,                2026-01-02T03:04:05.5Z, 1,            0,          0s,                2026-01-02T03:04:05.5Z, admin,    get,    /debug/api_priority_and_fairness/dump_requests, ,          ,       ,           ,         \n`,
    ]);
    const [, short] = await get('dump_requests');
    expect(short).toMatch(/ StartTime\nexempt, .* 2026-01-02T03:04:05\.5Z\n$/);
  });

  it('are not found under other names', async () => {
    const { get } = newPages();
    for (const page of ['', 'dump', 'dump_queues/x']) expect((await get(page))[0]).toBe(404);
  });

  it('have one line per request, even when names contain line breaks', async () => {
    const { controller, get } = newPages();
    controller.start(userOf('a\nexempt,\tb', 'system:masters'), infoOf({ path: '/a\r\nb' }), noQuery);
    const [, text] = await get('dump_requests?includeRequestDetails=yes');
    expect(text.split(/[\r\n]/)).toHaveLength(3);
  });
});
