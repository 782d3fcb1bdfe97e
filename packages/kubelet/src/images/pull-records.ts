import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isNoEntry } from '../files/no-entry.ts';
import { readBoundedFile } from '../files/read-bounded-file.ts';

/** A Secret with which an image was pulled, and the hash of its login. */
export interface RecordedSecret {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly credentialHash: string;
}

/** Who may use an image by one of its names. */
export interface RecordedCredentials {
  readonly kubernetesSecrets?: readonly RecordedSecret[];
  /** Only credential plug-ins use service accounts. They are kept for a kubelet that supports these. */
  readonly kubernetesServiceAccounts?: readonly object[];
  /** All pods of the node may use it. */
  readonly nodePodsAccessible?: boolean;
}

export interface ImagePulledRecord {
  readonly lastUpdatedTime: string;
  /** The runtime's id of the image. */
  readonly imageRef: string;
  /** By the name of the image without tag and digest. */
  readonly credentialMapping?: Readonly<Record<string, RecordedCredentials>>;
}

const apiVersion = 'kubelet.config.k8s.io/v1beta1';
const mostBytes = 2 ** 20;
const fileName = /^sha256-[0-9a-f]{64}$/;

/**
 * Files with records of pulled images. Paths and format are upstream's, so a node can change between both kubelets. Files are replaced
 * atomically.
 */
export class PullRecords {
  readonly #pulling: string;
  readonly #pulled: string;

  /** `rootDirectory`: the kubelet's directory. */
  constructor(rootDirectory: string) {
    this.#pulling = join(rootDirectory, 'image_manager', 'pulling');
    this.#pulled = join(rootDirectory, 'image_manager', 'pulled');
  }

  /** Records that an image is about to be pulled. */
  async writeIntent(image: string): Promise<void> {
    await write(this.#pulling, image, { kind: 'ImagePullIntent', apiVersion, image });
  }

  async hasIntent(image: string): Promise<boolean> {
    return intentOf(await read(this.#pulling, nameOf(image))) === image;
  }

  async removeIntent(image: string): Promise<void> {
    await rm(join(this.#pulling, nameOf(image)), { force: true });
  }

  /** Returns the images that were about to be pulled. Files that can't be read are left out. */
  async intents(): Promise<string[]> {
    const all = await readAll(this.#pulling);
    return all.flatMap((content) => intentOf(content) ?? []);
  }

  /** Undefined if there is no record. Rejects if it can't be read. */
  async record(imageRef: string): Promise<ImagePulledRecord | undefined> {
    const content = await read(this.#pulled, nameOf(imageRef));
    if (content === undefined) return undefined;
    const record = recordOf(content);
    if (!record) throw new Error(`the record of the pulled image ${imageRef} is invalid`);
    return record.imageRef === imageRef ? record : undefined;
  }

  async writeRecord(record: ImagePulledRecord): Promise<void> {
    await write(this.#pulled, record.imageRef, { kind: 'ImagePulledRecord', apiVersion, ...record });
  }

  async removeRecord(imageRef: string): Promise<void> {
    await rm(join(this.#pulled, nameOf(imageRef)), { force: true });
  }

  /** Returns all records. Files that can't be read are left out. */
  async records(): Promise<ImagePulledRecord[]> {
    const all = await readAll(this.#pulled);
    return all.flatMap((content) => recordOf(content) ?? []);
  }
}

const nameOf = (image: string): string => `sha256-${createHash('sha256').update(image).digest('hex')}`;

async function write(directory: string, image: string, content: object): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, nameOf(image));
  await writeFile(`${path}.tmp`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

/** Undefined if there is no file. */
async function read(directory: string, name: string): Promise<unknown> {
  try {
    return JSON.parse((await readBoundedFile(join(directory, name), mostBytes)).toString());
  } catch (error) {
    if (isNoEntry(error)) return undefined;
    throw error;
  }
}

async function readAll(directory: string): Promise<unknown[]> {
  const names = await readdir(directory).catch(() => []);
  const contents: unknown[] = [];
  for (const name of names) {
    if (fileName.test(name)) contents.push(await read(directory, name).catch(() => undefined));
  }
  return contents;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const intentOf = (content: unknown): string | undefined =>
  isObject(content) && content.kind === 'ImagePullIntent' && typeof content.image === 'string'
    ? content.image
    : undefined;

function recordOf(content: unknown): ImagePulledRecord | undefined {
  if (!isObject(content) || content.kind !== 'ImagePulledRecord') return undefined;
  const { imageRef, lastUpdatedTime, credentialMapping = {} } = content;
  if (typeof imageRef !== 'string' || typeof lastUpdatedTime !== 'string' || !isObject(credentialMapping))
    return undefined;
  const mapping = Object.entries(credentialMapping).map(([image, value]) => [image, credentialsOf(value)] as const);
  if (mapping.some(([, credentials]) => credentials === undefined)) return undefined;
  return {
    imageRef,
    lastUpdatedTime,
    credentialMapping: Object.fromEntries(mapping) as Record<string, RecordedCredentials>,
  };
}

function credentialsOf(value: unknown): RecordedCredentials | undefined {
  if (!isObject(value)) return undefined;
  const { kubernetesSecrets = [], kubernetesServiceAccounts = [], nodePodsAccessible = false } = value;
  if (!Array.isArray(kubernetesSecrets) || !kubernetesSecrets.every(isRecordedSecret)) return undefined;
  if (!Array.isArray(kubernetesServiceAccounts) || !kubernetesServiceAccounts.every(isObject)) return undefined;
  return {
    ...(kubernetesSecrets.length > 0 && { kubernetesSecrets }),
    ...(kubernetesServiceAccounts.length > 0 && { kubernetesServiceAccounts }),
    ...(nodePodsAccessible === true && { nodePodsAccessible }),
  };
}

const isRecordedSecret = (value: unknown): value is RecordedSecret =>
  isObject(value) &&
  [value.uid, value.namespace, value.name, value.credentialHash].every((it) => typeof it === 'string');
