import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DBusMessage, type DBusValue, decodeMessage, encodeMessage, messageType } from '../dbus/index.ts';
import type { CgroupManager } from './cgroup-manager.ts';
import { sliceProperties } from './slice-properties.ts';
import { Systemd } from './systemd.ts';
import { SystemdCgroupManager } from './systemd-cgroup-manager.ts';

/** Plays systemd on a socket: keeps the calls, and answers each by its member's name. */
class ScriptedSystemd {
  readonly calls: string[] = [];
  readonly bodies: (readonly DBusValue[])[] = [];
  answers: Record<string, (peer: Peer, call: DBusMessage) => void> = {};
  readonly sockets = new Set<Socket>();
  readonly server: Server;
  #jobs = 0;

  constructor() {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      let received: Buffer = Buffer.alloc(0);
      let isReady = false;
      socket.on('error', () => {});
      socket.on('data', (data: Buffer) => {
        received = Buffer.concat([received, data]);
        if (!isReady) {
          const end = received.indexOf('\r\n');
          if (end < 0) return;
          const line = received.toString('latin1', 0, end);
          received = received.subarray(end + 2);
          isReady = line === 'BEGIN';
          if (line.startsWith('\0AUTH EXTERNAL ')) socket.write('OK 0123456789abcdef\r\n');
          if (!isReady) return;
        }
        for (let next = decodeMessage(received); next; next = decodeMessage(received)) {
          const serial = received.readUInt32LE(8);
          received = received.subarray(next.bytes);
          this.#answer(next.message, new Peer(socket, serial));
        }
      });
    });
  }

  #answer(call: DBusMessage, peer: Peer): void {
    this.calls.push(call.member ?? '');
    this.bodies.push(call.body ?? []);
    const answer = this.answers[call.member ?? ''];
    if (answer) answer(peer, call);
    else if (call.member === 'Get') peer.reply('v', [{ signature: 's', value: '252.38-1~deb12u1' }]);
    else if (call.member !== 'StartTransientUnit' && call.member !== 'StopUnit') peer.reply('', []);
    else {
      const job = `/org/freedesktop/systemd1/job/${++this.#jobs}`;
      peer.reply('o', [job]);
      peer.jobRemoved(job, 'done');
    }
  }
}

class Peer {
  readonly #socket: Socket;
  readonly #serial: number;

  constructor(socket: Socket, serial: number) {
    this.#socket = socket;
    this.#serial = serial;
  }

  reply(signature: string, body: readonly DBusValue[]): void {
    this.#socket.write(encodeMessage({ type: messageType.reply, replySerial: this.#serial, signature, body }, 1));
  }

  error(errorName: string, text: string): void {
    const message = { type: messageType.error, replySerial: this.#serial, errorName, signature: 's', body: [text] };
    this.#socket.write(encodeMessage(message, 1));
  }

  jobRemoved(job: string, result: string): void {
    const header = { path: '/org/freedesktop/systemd1', interface: 'org.freedesktop.systemd1.Manager' };
    const body = [7, job, 'a.slice', result];
    const signal = { ...header, type: messageType.signal, member: 'JobRemoved', signature: 'uoss', body };
    this.#socket.write(encodeMessage(signal, 1));
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

describe.skipIf(process.platform === 'win32')('systemd', () => {
  let directory: string;
  let peer: ScriptedSystemd;
  let systemd: Systemd;
  const clock = new FakeClock();

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'coxswain-dbus-'));
    peer = new ScriptedSystemd();
    peer.server.listen(join(directory, 'private'));
    await once(peer.server, 'listening');
    const sockets = [
      { path: join(directory, 'no-bus'), isBus: true },
      { path: join(directory, 'private'), isBus: false },
    ];
    systemd = new Systemd({ sockets, clock });
  });
  afterEach(async () => {
    await systemd.close();
    for (const socket of peer.sockets) socket.destroy();
    peer.server.close();
    await rm(directory, { recursive: true });
  });

  it('starts a slice by a transient unit, and waits for its job', async () => {
    await systemd.startSlice('a.slice', [
      ['Wants', { signature: 'as', value: ['-.slice', 'b.slice'] }],
      ['MemoryMax', { signature: 't', value: 2n ** 64n - 1n }],
      ['AllowedCPUs', { signature: 'ay', value: [7, 1] }],
      ['DefaultDependencies', { signature: 'b', value: false }],
    ]);
    expect(peer.calls).toEqual(['Subscribe', 'StartTransientUnit']);
    expect(peer.bodies[1]).toEqual([
      'a.slice',
      'replace',
      [
        ['Wants', { signature: 'as', value: ['-.slice', 'b.slice'] }],
        ['MemoryMax', { signature: 't', value: 2n ** 64n - 1n }],
        ['AllowedCPUs', { signature: 'ay', value: [7, 1] }],
        ['DefaultDependencies', { signature: 'b', value: false }],
      ],
      [],
    ]);
  });

  it('a slice that exists is no error; a job that fails is', async () => {
    peer.answers.StartTransientUnit = (it) => it.error('org.freedesktop.systemd1.UnitExists', 'Unit a.slice exists.');
    await systemd.startSlice('a.slice', []);
    peer.answers.StartTransientUnit = (it) => {
      // The signal may come first.
      it.jobRemoved('/job/x', 'failed');
      it.reply('o', ['/job/x']);
    };
    await expect(systemd.startSlice('a.slice', [])).rejects.toThrow(
      'error creating systemd unit `a.slice`: got `failed`',
    );
    expect(peer.calls.at(-1)).toBe('ResetFailedUnit');
    peer.answers.StartTransientUnit = (it) => it.error('org.freedesktop.DBus.Error.AccessDenied', 'Access denied');
    await expect(systemd.startSlice('a.slice', [])).rejects.toThrow('Access denied');
  });

  it('a job that does not end is given up, and so is an aborted one', async () => {
    peer.answers.StartTransientUnit = (it) => it.reply('o', ['/job/slow']);
    const failed = expect(systemd.startSlice('a.slice', [])).rejects.toThrow(
      'Timeout waiting for systemd to create a.slice',
    );
    await clock.whenWaiting();
    await clock.advance(30_000);
    await failed;
    const abort = new AbortController();
    const aborted = expect(systemd.startSlice('a.slice', [], abort.signal)).rejects.toThrow('enough');
    await clock.whenWaiting();
    abort.abort(new Error('enough'));
    await aborted;
    expect(clock.pending).toBe(0);
  });

  it('stops a unit, also one that is not there', async () => {
    await systemd.stopUnit('a.slice');
    peer.answers.StopUnit = (it) => it.error('org.freedesktop.systemd1.NoSuchUnit', 'Unit a.slice not loaded.');
    await systemd.stopUnit('a.slice');
    expect(peer.calls).toEqual(['Subscribe', 'StopUnit', 'ResetFailedUnit', 'StopUnit', 'ResetFailedUnit']);
  });

  it('connects again when systemd was executed anew', async () => {
    expect(await systemd.version()).toBe(252);
    let isFirst = true;
    peer.answers.SetUnitProperties = (it) => {
      if (isFirst) it.hangUp();
      else it.reply('', []);
      isFirst = false;
    };
    await systemd.setProperties('a.slice', [['MemoryMax', { signature: 't', value: 1n }]]);
    expect(peer.calls).toEqual(['Subscribe', 'Get', 'SetUnitProperties', 'Subscribe', 'SetUnitProperties']);
  });

  it('says who does not answer', async () => {
    const nobody = new Systemd({ sockets: [{ path: join(directory, 'none'), isBus: false }] });
    await expect(nobody.version()).rejects.toThrow(/^failed to connect to systemd: .*ENOENT/);
  });

  it('the driver starts slices before it makes cgroups, and kills before it stops them', async () => {
    const log: string[] = [];
    const note = (text: string) => async (): Promise<void> => void log.push(text);
    const files: Partial<CgroupManager> = {
      version: 2,
      create: note('files: create'),
      destroy: note('files: destroy'),
      update: async (_, resources) => void log.push(`files: update ${JSON.stringify(resources)}`),
    };
    const proxy = new Proxy(files, {}) as CgroupManager;
    const manager = new SystemdCgroupManager(proxy, systemd);
    const name = ['kubepods', 'pod1-2'];
    // 33.3 % of a CPU is 34 % for systemd, and has to be in the files.
    await manager.create(name, { cpuQuota: 33_300, cpuPeriod: 100_000 });
    await manager.destroy(name);
    expect(log).toEqual([
      'files: create',
      'files: update {"cpuQuota":34000,"cpuPeriod":100000}',
      'files: destroy',
      'files: destroy',
    ]);
    expect(peer.calls).toEqual([
      'Subscribe',
      'StartTransientUnit',
      'Get',
      'SetUnitProperties',
      'StopUnit',
      'ResetFailedUnit',
    ]);
    expect(peer.bodies[1]?.[0]).toBe('kubepods-pod1_2.slice');
    expect(peer.bodies[1]?.[2]).toContainEqual(['Wants', { signature: 'as', value: ['kubepods.slice'] }]);
  });
});

describe('properties of slices', () => {
  const infinity = 2n ** 64n - 1n;
  it.each([
    ['memory', { memory: 100 }, 2, [['MemoryMax', 100n]]],
    ['memory in version 1', { memory: 100 }, 1, [['MemoryLimit', 100n]]],
    [
      'no limit of memory',
      { memory: -1 },
      2,
      [
        ['MemoryMax', infinity],
        ['MemorySwapMax', infinity],
      ],
    ],
    ['CPU shares', { cpuShares: 1024 }, 2, [['CPUWeight', 39n]]],
    ['CPU shares in version 1', { cpuShares: 1024 }, 1, [['CPUShares', 1024n]]],
    ['a quota', { cpuQuota: 25_000 }, 2, [['CPUQuotaPerSecUSec', 250_000n]]],
    [
      'no quota',
      { cpuQuota: -1, cpuPeriod: 100_000 },
      2,
      [
        ['CPUQuotaPeriodUSec', 100_000n],
        ['CPUQuotaPerSecUSec', infinity],
      ],
    ],
    ['processes', { pids: 10 }, 2, [['TasksMax', 10n]]],
    ['no processes, which systemd does not take', { pids: 0 }, 2, [['TasksMax', 1n]]],
    ['no limit of processes', { pids: -1 }, 2, [['TasksMax', infinity]]],
    [
      'unified settings that systemd has',
      { unified: { 'memory.high': 'max', 'memory.min': '5', 'memory.oom.group': '1' } },
      2,
      [
        ['MemoryHigh', infinity],
        ['MemoryMin', 5n],
      ],
    ],
    ['nothing', {}, 2, []],
  ] as const)('%s', (_, resources, cgroupVersion, expected) => {
    const { properties } = sliceProperties(resources, { cgroupVersion, systemdVersion: 252 });
    expect(properties).toEqual(expected.map(([name, value]) => [name, { signature: 't', value }]));
  });

  it('CPUs are bits, as far as systemd takes them', () => {
    const of = (systemdVersion: number) =>
      sliceProperties({ cpuset: '0-2,9' }, { cgroupVersion: 2, systemdVersion }).properties;
    expect(of(252)).toEqual([['AllowedCPUs', { signature: 'ay', value: [7, 2] }]]);
    expect(of(243)).toEqual([]);
    expect(() => sliceProperties({ cpuset: '3-1' }, { cgroupVersion: 2, systemdVersion: 252 })).toThrow('invalid list');
  });
});
