import type { IDMapping, NamespacePaths, NamespaceType } from './pinned-namespaces.ts';

interface Mappings {
  readonly uidMappings: readonly IDMapping[];
  readonly gidMappings: readonly IDMapping[];
}

/**
 * Writes each value to the file of its sysctl. Some belong to root of the node, others, depending on the kernel, to root of the user
 * namespace: what the one may not write, the other writes. Arguments: the user namespace or nothing, then files below /proc/sys with
 * their values.
 */
const set = `
user=$1; shift
while [ $# -gt 0 ]; do
  { [ -n "$user" ] && printf %s "$2" 2>/dev/null >"/proc/sys/$1"; } 2>/dev/null ||
    \${user:+nsenter "--user=$user" --} sh -c 'printf %s "$2" >"/proc/sys/$1"' sh "$1" "$2" || exit 1
  shift 2
done
`;

/** The same without a user namespace, in one process. */
const setPlainly = 'shift; while [ $# -gt 0 ]; do printf %s "$2" >"/proc/sys/$1" || exit 1; shift 2; done';

const loopback = '[ -z "$1" ] || ip link set lo up || exit 1; shift;';

/**
 * A process that stays in a new user namespace has its ids mapped from outside, since only a process with rights over the parent namespace
 * can map any ids. A second process, in that user namespace, makes the other namespaces; this shell, which has the right to mount, pins
 * them. Each of the two processes waits until its input is closed. The settings are written by root of the node: some belong to it.
 *
 * Arguments: directory, uid map, gid map, the other types in one word, the script for inside, and its arguments.
 */
const withUser = `
d=$1 uids=$2 gids=$3 types=$4 inside=$5; shift 5
mkfifo -m 600 "$d/in" "$d/out" || exit 1
unshare --user sh -c 'echo ready; read -r end' <"$d/in" >"$d/out" &
owner=$!
exec 3>"$d/in" 4<"$d/out"; rm -f "$d/in" "$d/out"
read -r ready <&4 || exit 1
printf "$uids" >"/proc/$owner/uid_map" && printf "$gids" >"/proc/$owner/gid_map" || exit 1
mount --no-canonicalize --bind "/proc/$owner/ns/user" "$d/user" || exit 1
if [ -n "$types" ]; then
  enter=; for type in $types; do enter="$enter --$type"; done
  mkfifo -m 600 "$d/in" "$d/out" || exit 1
  nsenter --user="$d/user" -- unshare $enter sh -c 'echo ready; read -r end' <"$d/in" >"$d/out" 3>&- &
  maker=$!
  exec 5>"$d/in" 6<"$d/out"; rm -f "$d/in" "$d/out"
  read -r ready <&6 || exit 1
  for type in $types; do
    mount --no-canonicalize --bind "/proc/$maker/ns/$type" "$d/$type" || exit 1
  done
  nsenter --target=$maker $enter -- sh -c "$inside" sh "$@" 3>&- 5>&- || exit 1
fi
`;

/** The command that makes and pins namespaces at the files `<directory>/<type>`, which exist. */
export function makingScript(
  directory: string,
  types: readonly NamespaceType[],
  user: Mappings | undefined,
  settings: readonly (readonly [path: string, value: string])[],
): readonly string[] {
  const userFile = user ? `${directory}/user` : '';
  const insideArguments = [types.includes('net') ? 'net' : '', userFile, ...settings.flat()];
  if (!user) {
    const pins = types.map((type) => `--${type}=${directory}/${type}`);
    return ['unshare', ...pins, '--', 'sh', '-c', `${loopback}${setPlainly}`, 'sh', ...insideArguments];
  }
  const others = types.filter((type) => type !== 'user');
  const maps = [mapText(user.uidMappings), mapText(user.gidMappings)];
  return ['sh', '-c', withUser, 'sh', directory, ...maps, others.join(' '), `${loopback}${set}`, ...insideArguments];
}

/** The command that sets sysctls in namespaces that exist. */
export function settingScript(
  { user, ...others }: NamespacePaths,
  settings: readonly (readonly [path: string, value: string])[],
): readonly string[] {
  const enter = Object.entries(others).map(([type, path]) => `--${type}=${path}`);
  return ['nsenter', ...enter, '--', 'sh', '-c', user ? set : setPlainly, 'sh', user ?? '', ...settings.flat()];
}

const mapText = (mappings: readonly IDMapping[]): string =>
  mappings.map(({ containerID, hostID, length }) => `${containerID} ${hostID} ${length}\\n`).join('');
