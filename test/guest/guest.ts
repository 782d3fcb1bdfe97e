import { spawn } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface GuestOptions {
  readonly kernel: string;
  readonly initrd: string;
  /** The image of the root file system. It is not changed. */
  readonly root: string;
  /** Images for the guest to read: names → files. */
  readonly disks: Readonly<Record<string, string>>;
  /** A directory for the console's output and the results. */
  readonly directory: string;
  readonly memoryMiB: number;
  readonly cpus: number;
  /** Uses KVM. Otherwise the processor is emulated, which is at least ten times slower. */
  readonly isVirtual: boolean;
  /** The machine is switched off hard after this time. */
  readonly limitMs: number;
  /** Gets all that the guest prints to its port `output`. */
  readonly onOutput: (text: Buffer) => void;
}

/** What a guest has left when it is off, also if it was switched off. */
export interface GuestEnd {
  /** The text that it wrote to its port `results`. */
  readonly results: string;
  /** The output of its kernel and of systemd. */
  readonly console: string;
}

/** Whether this machine's processor can run virtual machines. `/dev/kvm` alone does not say so. */
export async function hasVirtualization(): Promise<boolean> {
  const isThere = await access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return isThere && /^flags\s*:.*\b(vmx|svm)\b/m.test(await readFile('/proc/cpuinfo', 'utf8'));
}

/**
 * Boots a virtual machine, and resolves when it has switched itself off. Rejects when qemu fails. When the signal is aborted, the machine is switched off hard.
 */
export async function runGuest(options: GuestOptions, signal: AbortSignal): Promise<GuestEnd> {
  const { directory, onOutput } = options;
  const files = { console: join(directory, 'console'), results: join(directory, 'results') };
  signal.throwIfAborted();
  // A process group of its own: an interrupt at the terminal only reaches this process, which then ends the machine.
  const child = spawn('nice', ['-n', '10', 'qemu-system-x86_64', ...machine(options, files)], {
    // An input that ends would close the port, and the guest would wait for it.
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, options.limitMs);
  signal.addEventListener('abort', kill, { once: true });
  // Also when this process ends without having waited.
  process.once('exit', kill);
  let complaints = '';
  child.stdout.on('data', onOutput);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  try {
    const [status, killer] = await new Promise<readonly [number | null, string | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...ended) => resolve(ended));
    });
    if (status !== 0 && killer !== 'SIGKILL') {
      throw new Error(`qemu-system-x86_64 ended with ${killer ?? `status ${status}`}: ${complaints.trim()}`);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    process.removeListener('exit', kill);
  }
  const [results, console] = await Promise.all([readFile(files.results, 'utf8'), readFile(files.console, 'utf8')]);
  return { results, console };
}

function machine(
  { kernel, initrd, root, disks, memoryMiB, cpus, isVirtual }: GuestOptions,
  files: { readonly console: string; readonly results: string },
): string[] {
  const parameters = [
    ...['console=ttyS0', 'quiet', 'panic=-1', 'mitigations=off', 'audit=0', 'systemd.show_status=error'],
    // The job waits for no other devices.
    'systemd.mask=systemd-udev-trigger.service',
    ...['systemd.unit=coxswain-job.target', 'apparmor=1', 'security=apparmor'],
  ];
  const disk = (name: string, file: string, mode: string): string[] => [
    ...['-drive', `if=none,id=${name},format=raw,file=${file},${mode}`],
    ...['-device', `virtio-blk-pci,drive=${name},serial=${name}`],
  ];
  const port = (name: string, chardev: string): string[] => [
    ...['-chardev', `${chardev},id=${name}`],
    ...['-device', `virtserialport,chardev=${name},name=${name}`],
  ];
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...['-accel', isVirtual ? 'kvm' : 'tcg,thread=multi,tb-size=512'],
    ...['-machine', 'q35', '-cpu', isVirtual ? 'host' : 'max', '-smp', String(cpus), '-m', String(memoryMiB)],
    ...['-kernel', kernel, '-initrd', initrd, '-append', parameters.join(' ')],
    // Changes go to a file that qemu removes.
    ...disk('root', root, 'snapshot=on'),
    ...Object.entries(disks).flatMap(([name, file]) => disk(name, file, 'readonly=on')),
    ...['-serial', `file:${files.console}`, '-device', 'virtio-serial-pci'],
    ...port('output', 'stdio,signal=off'),
    ...port('results', `file,path=${files.results}`),
  ];
}
