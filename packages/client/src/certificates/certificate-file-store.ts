import { lstat, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { makeDirectory } from '../files/make-directory.ts';
import { errorCode, readTextIfExists } from '../kubeconfig/files.ts';
import { replaceFile } from '../kubeconfig/replace-file.ts';
import { PemKeyPair, pemBlocks } from '../x509/pem-key-pair.ts';

/** Persists a certificate and its key between runs of a program. */
export interface CertificateStore {
  /**
   * Returns undefined when nothing is stored yet. Rejects when the stored data cannot be read or is not a matching
   * pair.
   */
  current(): Promise<PemKeyPair | undefined>;
  /** Replaces the stored pair atomically. Both arguments are PEM. */
  update(certificate: string, key: string): Promise<PemKeyPair>;
}

export interface CertificateFileStoreOptions {
  /** Prefix of the file names. */
  readonly name: string;
  readonly directory: string;
  /** Initial pair, read while the directory has no current pair. */
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly clock?: Clock;
}

/**
 * Stores pairs in a directory in the kubelet's layout: each pair in a file with a timestamp in its name, and a symbolic
 * link `<name>-current.pem` to the current one. Older files are kept.
 */
export class CertificateFileStore implements CertificateStore {
  /** Path of the symbolic link to the current pair. It does not change on rotation. */
  readonly currentPath: string;
  readonly #updatedPath: string;
  readonly #options: CertificateFileStoreOptions;

  constructor(options: CertificateFileStoreOptions) {
    this.#options = options;
    this.currentPath = this.#path('current');
    this.#updatedPath = this.#path('updated');
  }

  async current(): Promise<PemKeyPair | undefined> {
    const { directory, name, certificateFile, keyFile } = this.#options;
    await this.#recover();
    return (
      (await readPair(this.currentPath, this.currentPath)) ??
      (certificateFile && keyFile ? await readPair(certificateFile, keyFile) : undefined) ??
      (await readPair(join(directory, `${name}.crt`), join(directory, `${name}.key`)))
    );
  }

  async update(certificate: string, key: string): Promise<PemKeyPair> {
    const pair = new PemKeyPair(certificate, key);
    const { directory, clock = systemClock } = this.#options;
    await makeDirectory(directory, 0o755);
    for (const path of [this.currentPath, this.#updatedPath]) await mustBeSymlink(path);
    const time = new Date(clock.now()).toISOString().slice(0, 19).replace(/[T:]/g, '-');
    const path = resolve(this.#path(time));
    const blocks = [...pemBlocks(certificate, 'CERTIFICATE'), ...pemBlocks(key, 'PRIVATE KEY').slice(0, 1)];
    await replaceFile(path, `${blocks.join('\n')}\n`);
    await rm(this.#updatedPath, { force: true });
    await symlink(path, this.#updatedPath);
    // Differs from client-go: it removes the old link first, so that for a moment there is none.
    await rename(this.#updatedPath, this.currentPath);
    return pair;
  }

  #path(qualifier: string): string {
    return join(this.#options.directory, `${this.#options.name}-${qualifier}.pem`);
  }

  /** Completes an update that was interrupted between creating the `updated` link and renaming it to `current`. */
  async #recover(): Promise<void> {
    if ((await kindOf(this.currentPath)) !== undefined || (await kindOf(this.#updatedPath)) === undefined) return;
    await mustBeSymlink(this.#updatedPath);
    await rename(this.#updatedPath, this.currentPath);
  }
}

async function readPair(certificateFile: string, keyFile: string): Promise<PemKeyPair | undefined> {
  const [certificate, key] = await Promise.all([readTextIfExists(certificateFile), readTextIfExists(keyFile)]);
  if (certificate === undefined || key === undefined) return undefined;
  try {
    // One file may have both. The certificate alone may be shown.
    const chain = pemBlocks(certificate, 'CERTIFICATE').map((block) => `${block}\n`);
    return new PemKeyPair(chain.join(''), key);
  } catch (cause) {
    throw new Error(`could not convert data from "${certificateFile}" into cert/key pair: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function kindOf(path: string): Promise<'symlink' | 'file' | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? 'symlink' : 'file';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws when the path is a regular file: it was not created by this store and must not be replaced. */
async function mustBeSymlink(path: string): Promise<void> {
  if ((await kindOf(path)) === 'file') throw new Error(`expected "${path}" to be a symlink but it is a file`);
}
