import { describe, expect, it } from 'vitest';
import { chooseRuntime, recordedChoice, recordOf, runtimeType } from './runtime-choice.ts';

const socket = 'unix:///run/containerd/containerd.sock';
const choose = (value: string, { last, problem }: { last?: { runtime: string | undefined }; problem?: string } = {}) =>
  chooseRuntime(value, { last: async () => last, problem: async () => problem });

describe('--runtime', () => {
  it.each(['auto', 'containers', 'hollow', socket])('may be %s', (value) => {
    expect(runtimeType.read(value, undefined)).toBe(value);
  });

  it.each(['docker', '', 'unix://', '/run/containerd/containerd.sock'])('may not be %j', (value) => {
    expect(() => runtimeType.read(value, undefined)).toThrow('must be auto, containers, hollow, or the socket');
  });

  it('auto has containers where the machine can run them', async () => {
    expect(await choose('auto')).toEqual({ choice: { kind: 'containers' } });
  });

  it('auto has hollow nodes where it cannot, and says why', async () => {
    expect(await choose('auto', { problem: 'runc is missing' })).toEqual({
      choice: { kind: 'hollow' },
      notice: 'the nodes are hollow and run no containers: runc is missing',
    });
  });

  it.each([undefined, 'containers', socket])('auto keeps the nodes that a cluster had: %s', async (runtime) => {
    expect(await choose('auto', { last: { runtime }, problem: 'not asked' })).toEqual({
      choice: recordedChoice(runtime),
    });
  });

  it('containers fails where the machine cannot run them', async () => {
    await expect(choose('containers', { problem: 'containers need root (sudo)' })).rejects.toThrow(
      'no containers can run here: containers need root (sudo); with --runtime hollow, nodes run none',
    );
    expect(await choose('containers')).toEqual({ choice: { kind: 'containers' } });
  });

  it('hollow and sockets need nothing of the machine', async () => {
    const problem = 'nothing is installed';
    expect(await choose('hollow', { last: { runtime: 'containers' }, problem })).toEqual({
      choice: { kind: 'hollow' },
    });
    expect(await choose(socket, { problem })).toEqual({ choice: { kind: 'socket', endpoint: socket } });
  });

  it.each(['hollow', 'containers', socket])('%s is recorded', async (value) => {
    const { choice } = await choose(value);
    expect(recordedChoice(recordOf(choice))).toEqual(choice);
  });
});
