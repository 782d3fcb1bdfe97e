import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LinuxContainerSecurityContext } from '@coxswain/cri';
import { pathInRoot } from './path-in-root.ts';

/** Whom a container's process runs as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** With the primary group, as runtimes report them. */
  readonly additionalGids: readonly number[];
}

interface UserEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

interface GroupEntry {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** Of a longer /etc/passwd or /etc/group, the beginning is read. */
const maxFileBytes = 4 * 1024 * 1024;
/** The highest id that runc takes. */
const maxId = 2 ** 31 - 1;

/**
 * Resolves the user of a container: the security context's, else the image's, else root. Names, and the groups of a user, are those of
 * /etc/passwd and /etc/group in the image. Throws an Error with containerd's message if there is no such user.
 */
export async function containerUser(
  root: string,
  imageUser: string,
  security: Pick<
    LinuxContainerSecurityContext,
    'runAsUser' | 'runAsGroup' | 'runAsUsername' | 'supplementalGroups' | 'supplementalGroupsPolicy'
  >,
): Promise<ContainerUser> {
  const { runAsUser, runAsGroup, runAsUsername, supplementalGroups, supplementalGroupsPolicy } = security;
  const asked = runAsUsername !== '' ? runAsUsername : runAsUser ? String(runAsUser.value) : '';
  if (asked === '' && runAsGroup) throw new Error(`user group "${runAsGroup.value}" is specified without user`);
  const text = asked === '' ? imageUser : runAsGroup ? `${asked}:${runAsGroup.value}` : asked;
  const [userText = '', groupText, ...more] = text.split(':');
  if (more.length > 0) throw new Error(`invalid USER value ${text}`);

  const users = await readUsers(root);
  const number = idOf(userText, `invalid USER value ${JSON.stringify(text)}: uid out of range`);
  const entry =
    userText === ''
      ? undefined
      : users.find(({ name, uid }) => (number === undefined ? name === userText : uid === number));
  if (userText !== '' && number === undefined && !entry)
    throw new Error(`unable to find user ${userText}: no users found`);
  const groups = await readGroups(root);
  const uid = number ?? entry?.uid ?? 0;
  let gid = entry?.gid ?? 0;
  if (groupText !== undefined) {
    const id = idOf(groupText, `invalid USER value ${JSON.stringify(text)}: gid out of range`);
    const group = groups.find(({ name }) => name === groupText);
    if (id === undefined && !group) throw new Error(`unable to find group ${groupText}: no groups found`);
    gid = id ?? group?.gid ?? 0;
  }
  // The user's groups of the image, not the one with the user's own name.
  const name = entry?.name ?? users.find((other) => other.uid === uid)?.name;
  const ofImage =
    supplementalGroupsPolicy === 'Strict' || name === undefined
      ? []
      : groups.filter((group) => group.name !== name && group.members.includes(name)).map((group) => group.gid);
  return { uid, gid, additionalGids: [...new Set([gid, ...ofImage, ...supplementalGroups])] };
}

function idOf(text: string, outOfRange: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const id = Number(text);
  if (id < 0 || id > maxId) throw new Error(outOfRange);
  return id;
}

async function readUsers(root: string): Promise<UserEntry[]> {
  return (await fieldsOf(root, '/etc/passwd')).flatMap(([name = '', , uid = '', gid = '']) =>
    /^\d+$/.test(uid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [],
  );
}

async function readGroups(root: string): Promise<GroupEntry[]> {
  return (await fieldsOf(root, '/etc/group')).flatMap(([name = '', , gid = '', members = '']) =>
    /^\d+$/.test(gid) ? [{ name, gid: Number(gid), members: members.split(',').map((member) => member.trim()) }] : [],
  );
}

/** The fields of each line; none if there is no such regular file. */
async function fieldsOf(root: string, path: string): Promise<string[][]> {
  const place = await pathInRoot(root, path);
  // A pipe of the image would block the reader otherwise.
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    () => undefined,
  );
  if (!file) return [];
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return [];
    const bytes = Buffer.alloc(Math.min(stats.size, maxFileBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n');
    return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.trimEnd().split(':'));
  } finally {
    await file.close();
  }
}
