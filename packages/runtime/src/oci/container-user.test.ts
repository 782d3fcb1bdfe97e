import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinuxContainerSecurityContext } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerUser } from './container-user.ts';

let scratch: string;
let root: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cox-user-'));
  root = join(scratch, 'root');
  await mkdir(join(root, 'etc'), { recursive: true });
  await mkdir(join(root, 'share'));
  // A link of the image leads to a file of the image, never of the node.
  await symlink('/share/../../../share/passwd', join(root, 'etc/passwd'));
  await writeFile(join(root, 'share/passwd'), 'root:x:0:0::/:\n# a note\nann:x:1001:1002::/:\nbob:x:1003:1003::/:\n');
  await writeFile(join(root, 'etc/group'), 'ann:x:1002:\nreaders:x:50:ann,bob\nwriters:x:60:ann\nbob:x:1003:bob\n');
  await mkdir(join(scratch, 'share'));
  await writeFile(join(scratch, 'share/passwd'), 'ann:x:0:0::/:\n');
});
afterAll(() => rm(scratch, { recursive: true }));

const user = async (imageUser: string, security: Init<LinuxContainerSecurityContext> = {}, at = root) => {
  const { uid, gid, additionalGids } = await containerUser(
    at,
    imageUser,
    LinuxContainerSecurityContext.complete(security),
  );
  return `${uid}:${gid} ${additionalGids.join()}`;
};

describe('the user of a container', () => {
  it.each<[string, string, string, Init<LinuxContainerSecurityContext>]>([
    ['root if nobody says another', '0:0 0', '', {}],
    ["the image's, by name, with its groups", '1001:1002 1002,50,60', 'ann', {}],
    ["the image's, by number", '1001:1002 1002,50,60', '1001', {}],
    ["the image's, with a group", '1003:60 60,50', 'bob:writers', {}],
    ['a number that the image does not know', '4711:0 0', '4711', {}],
    ["the security context's, before the image's", '1003:1003 1003,50', 'ann', { runAsUser: { value: 1003 } }],
    [
      "the security context's, with its group",
      '1003:7 7,50',
      '',
      { runAsUser: { value: 1003 }, runAsGroup: { value: 7 } },
    ],
    ["the security context's, by name", '1001:1002 1002,50,60', '', { runAsUsername: 'ann' }],
    ['with more groups', '1001:1002 1002,50,60,99', 'ann', { supplementalGroups: [99, 50] }],
    [
      'with those groups only',
      '1001:1002 1002,99',
      'ann',
      { supplementalGroups: [99], supplementalGroupsPolicy: 'Strict' },
    ],
  ])('is %s', async (_, expected, imageUser, security) => {
    expect(await user(imageUser, security)).toBe(expected);
  });

  it.each<[string, string, Init<LinuxContainerSecurityContext>]>([
    ['unable to find user none', 'none', {}],
    ['unable to find group none', 'ann:none', {}],
    ['invalid USER value a:b:c', 'a:b:c', {}],
    ['uid out of range', '4294967295', {}],
    ['user group "7" is specified without user', '', { runAsGroup: { value: 7 } }],
  ])('is refused: %s', async (message, imageUser, security) => {
    await expect(user(imageUser, security)).rejects.toThrow(message);
  });

  it('is a number where an image has no files of users', async () => {
    expect(await user('5:6', {}, scratch)).toBe('5:6 6');
  });
});
