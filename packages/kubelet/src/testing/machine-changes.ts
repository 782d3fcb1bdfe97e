import { access, readdir, readFile, readlink, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Settings of the whole machine that a kubelet changes when it starts. */
const sysctls = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];

/** Directories at fixed paths that a kubelet makes, the innermost first. */
const fixedDirectories = ['/var/lib/kubelet/device-plugins', '/var/lib/kubelet', '/var/log/containers'];
const containerLogs = '/var/log/containers';

interface Before {
  readonly sysctls: Readonly<Record<string, string>>;
  /** The fixed directories that were not there. */
  readonly missing: readonly string[];
}

/** Writes down what a kubelet is about to change outside of its own directories. */
export async function noteMachine(file: string): Promise<void> {
  const settings: Record<string, string> = {};
  for (const name of sysctls) {
    const value = await readFile(join('/proc/sys', name), 'utf8').catch(() => undefined);
    if (value !== undefined) settings[name] = value.trim();
  }
  const missing: string[] = [];
  for (const path of fixedDirectories) {
    await access(path).catch(() => missing.push(path));
  }
  const before: Before = { sysctls: settings, missing };
  await writeFile(file, JSON.stringify(before));
}

/** Takes back what a kubelet has changed since `noteMachine` wrote the file. Its logs were in `directory`. */
export async function restoreMachine(file: string, directory: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  // Nothing was changed yet.
  if (text === undefined) return;
  const { sysctls: settings, missing }: Before = JSON.parse(text);
  for (const [name, value] of Object.entries(settings)) await writeFile(join('/proc/sys', name), value);
  for (const name of await readdir(containerLogs).catch(() => [])) {
    const link = join(containerLogs, name);
    const target = await readlink(link).catch(() => '');
    if (target.startsWith(`${directory}/`)) await rm(link, { force: true });
  }
  for (const path of missing) {
    if (path.endsWith('/device-plugins')) await rm(path, { recursive: true, force: true });
    // Not empty: another kubelet uses it by now.
    else await rmdir(path).catch(() => {});
  }
}
