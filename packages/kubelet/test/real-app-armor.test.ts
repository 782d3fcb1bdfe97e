import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AppArmorProfile, Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appArmorProblem } from '../src/admission/app-armor.ts';
import { RealNode, shell } from './real-node.ts';

const run = promisify(execFile);
const problem = (await containerdProblem()) ?? (await appArmorProblem());
if (problem) console.warn(`SKIPPED: tests of AppArmor. ${problem}`);

/** Allows everything but files in /tmp. */
const profile = `
profile coxswain-test flags=(attach_disconnected) {
  file,
  capability,
  network,
  mount,
  umount,
  signal,
  deny /tmp/** w,
}
`;

describe.skipIf(problem)('on a real node with AppArmor', () => {
  let node: RealNode;
  let file: string;
  beforeAll(async () => {
    node = await RealNode.start('10.213.13.0/24');
    file = join(node.directory, 'profile');
    await writeFile(file, profile);
    await run('apparmor_parser', ['--replace', '--skip-cache', file]);
  });
  afterAll(async () => {
    if (node) await run('apparmor_parser', ['--remove', file]);
    await node?.close();
  });

  const create = async (name: string, appArmorProfile?: AppArmorProfile, ofPod?: AppArmorProfile): Promise<void> => {
    const script = 'cat /proc/self/attr/current; touch /tmp/x && echo written';
    await node.create(name, {
      restartPolicy: 'Never',
      ...(ofPod && { securityContext: { appArmorProfile: ofPod } }),
      containers: [{ ...shell('main', script), ...(appArmorProfile && { securityContext: { appArmorProfile } }) }],
    });
  };
  const hasEnded = (pod: Pod | undefined): boolean => ['Failed', 'Succeeded'].includes(pod?.status?.phase ?? '');
  const localhost = (localhostProfile: string): AppArmorProfile => ({ type: 'Localhost', localhostProfile });

  it.each<[string, AppArmorProfile | undefined, AppArmorProfile | undefined, string]>([
    [
      'confined by a profile of the machine',
      localhost('coxswain-test'),
      undefined,
      'coxswain-test (enforce)\ntouch: /tmp/x: Permission denied\n',
    ],
    [
      'confined by the profile of its pod',
      undefined,
      localhost('coxswain-test'),
      'coxswain-test (enforce)\ntouch: /tmp/x: Permission denied\n',
    ],
    [
      'confined by the profile of the runtime',
      { type: 'RuntimeDefault' },
      undefined,
      'cri-containerd.apparmor.d (enforce)\nwritten\n',
    ],
    ['not confined although its pod is', { type: 'Unconfined' }, localhost('coxswain-test'), 'unconfined\nwritten\n'],
  ])('a container is %s', async (title, ofContainer, ofPod, log) => {
    const name = title.replaceAll(' ', '-');
    await create(name, ofContainer, ofPod);
    await node.until(name, hasEnded);
    expect(await node.logs(name)).toBe(log);
  });

  it('a container with a profile that is not loaded waits with the error of the runtime', async () => {
    await create('unknown', localhost('no-such-profile'));
    const waits = await node.until(
      'unknown',
      (pod) => pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerError',
    );
    expect(waits?.status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(/apparmor profile not found/);
    await node.clients.core.v1.pods('default').delete('unknown');
    await node.until('unknown', (pod) => pod === undefined);
  });
});
