import { lstat, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { makeDirectory } from '../files/make-directory.ts';
import { errorCode, readTextIfExists } from '../kubeconfig/files.ts';
import { replaceFile } from '../kubeconfig/replace-file.ts';
import { PemKeyPair, pemBlocks } from '../x509/pem-key-pair.ts';

/** Where a certificate and its key are kept from one run of a program to the next. */
export interface CertificateStore {
  /** Undefined when there is none yet. Rejects for what cannot be read or is no pair. */
  current(): Promise<PemKeyPair | undefined>;
  /** Puts a pair in the place of the one before; both or nothing. Both PEM. */
  update(certificate: string, key: string): Promise<PemKeyPair>;
}

export interface CertificateFileStoreOptions {
  /** What files begin with. */
  readonly name: string;
  readonly directory: string;
  /** A pair to begin with, until there is one of our own. */
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly clock?: Clock;
}

/**
 * Pairs in a folder, as kubelets have them: each in one file with the time in its name, and a symbolic link
 * `<name>-current.pem` to the one that counts. Those from before stay.
 */
export class CertificateFileStore implements CertificateStore {
  /** Where the current pair is: a path that stays the same. */
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
    // Differs from client-go: that removes the old link first, so that there is a moment without one.
    await rename(this.#updatedPath, this.currentPath);
    return pair;
  }

  #path(qualifier: string): string {
    return join(this.#options.directory, `${this.#options.name}-${qualifier}.pem`);
  }

  /** A kubelet that ended in the middle of a change has left the new link under its first name. */
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
    return new PemKeyPair(certificate, key);
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

/** Somebody else's file is not replaced. */
async function mustBeSymlink(path: string): Promise<void> {
  if ((await kindOf(path)) === 'file') throw new Error(`expected "${path}" to be a symlink but it is a file`);
}
