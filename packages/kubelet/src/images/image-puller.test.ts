import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, Secret } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { type AuthConfig, type Image, type ImageServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodEvents } from '../pods/pod-events.ts';
import type { ImagePullLimits } from '../runtime/runtime-settings.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import type { CredentialVerification } from './credential-verification.ts';
import { ImagePuller } from './image-puller.ts';
import { Keyring } from './keyring.ts';
import { PullCredentials } from './pull-credentials.ts';
import { PullRecords } from './pull-records.ts';
import { PulledImages } from './pulled-images.ts';

const image = 'registry.example/web:1';
const noLimits: ImagePullLimits = { maxParallel: undefined, qps: 0, burst: 0 };
const imageOf = (name: string): Image => ({
  ...{ id: `sha256:${name}`, repoTags: [name], repoDigests: [], size: 4711, username: '', pinned: false },
});

/** A registry that lets in whom it knows, and a runtime that pulls from it. */
class ScriptedImages {
  readonly present = new Map<string, Image>();
  /** Images being pulled, in the order in which the pulls began. */
  readonly pulls: string[] = [];
  password: string | undefined;
  /** A pull ends when this is called, if it is asked to wait. */
  waits = false;
  cannotTell = false;
  readonly #ends: (() => void)[] = [];

  readonly handlers: Pick<ImageServiceHandlers, 'pullImage' | 'imageStatus' | 'listImages'> = {
    pullImage: async ({ image: spec, auth }) => {
      const name = spec?.image ?? '';
      this.pulls.push(`${name}${textOf(auth)}`);
      if (this.waits) await new Promise<void>((resolve) => this.#ends.push(resolve));
      if (this.password !== undefined && auth?.password !== this.password) {
        throw new Error(auth ? `${auth.username} is not let in` : 'anonymous is not let in');
      }
      this.present.set(name, imageOf(name));
      return { imageRef: imageOf(name).id };
    },
    imageStatus: async ({ image: spec }) => {
      if (this.cannotTell) throw new Error('no answer');
      const found = [...this.present.values()].find(({ id, repoTags }) =>
        [id, ...repoTags].includes(spec?.image ?? ''),
      );
      return found ? { image: found } : {};
    },
    listImages: async () => ({ images: [...this.present.values()] }),
  };

  endPull(): void {
    this.#ends.shift()?.();
  }
}

const textOf = (auth: AuthConfig | undefined): string => (auth ? ` ${auth.username}:${auth.password}` : '');

const secrets = new Map<string, Secret>();
function addSecret(name: string, logins: Readonly<Record<string, string>>, uid = `uid-of-${name}`): void {
  const auths = Object.entries(logins).map(([location, password]) => [location, { username: name, password }]);
  const text = JSON.stringify({ auths: Object.fromEntries(auths) });
  secrets.set(name, {
    metadata: { name, namespace: 'default', uid },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  });
}

const config: ConfigSource = {
  secret: async (_, name) => secrets.get(name),
  configMap: async () => undefined,
  claim: async () => undefined,
  runtimeClass: async () => undefined,
};

let directory: string;
let clock: FakeClock;
let images: ScriptedImages;
let events: string[];
const logs = recordLogs();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-pulls-'));
  clock = new FakeClock();
  images = new ScriptedImages();
  events = [];
  secrets.clear();
  logs.clear();
});
afterEach(() => rm(directory, { recursive: true }));

interface Setup {
  readonly limits?: ImagePullLimits;
  readonly node?: Keyring;
  /** Absent if pods may use all images. */
  readonly verification?: CredentialVerification;
}

/** A puller as a kubelet has it that has just been started. */
function newPuller({ limits = noLimits, node = new Keyring(), verification }: Setup = {}): ImagePuller {
  const unused = (): never => {
    throw new Error('not scripted');
  };
  const service = new Proxy(images.handlers, { get: (of, name) => Reflect.get(of, name) ?? unused });
  const { images: client } = runtimeInProcess(service as never, service as never, clock);
  const runtime = {
    images: client,
    image: async (name: string) => (await client.imageStatus({ image: { image: name } })).image,
  };
  const recorder = {
    event: (_: object, type: string, reason: string, message: string) =>
      void events.push(`${type} ${reason}: ${message}`),
  };
  const { logger } = logs;
  return new ImagePuller({
    runtime,
    events: new PodEvents(recorder as never),
    clock,
    limits,
    credentials: new PullCredentials({ config, node: { keyring: async () => node } as never }),
    pulled:
      verification &&
      new PulledImages({ records: new PullRecords(directory), verification, images: client, clock, logger }),
  });
}

const podWith = (name: string, ...pullSecrets: readonly string[]): Pod => ({
  metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
  spec: { containers: [], imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) },
});

function ensure(
  puller: ImagePuller,
  pod: Pod,
  options: { readonly image?: string; readonly pullPolicy?: string; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const { pullPolicy = 'IfNotPresent', signal = new AbortController().signal } = options;
  const needed = { image: options.image ?? image, pullPolicy };
  return puller.ensureImage(pod, needed, { sandboxConfig: {}, runtimeHandler: '', signal });
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('logins', () => {
  it('are tried in their order: those of the pod, then those of the node', async () => {
    addSecret('first', { 'registry.example': 'a', 'registry.example/web': 'b' });
    addSecret('second', { 'registry.example': 'c', 'other.example': 'd' });
    const node = new Keyring();
    node.add(new Map([['registry.example', { username: 'node', password: 'right', email: '' }]]));
    images.password = 'right';
    await ensure(newPuller({ node }), podWith('web', 'second', 'absent', 'first'));
    expect(images.pulls).toEqual([`${image} first:b`, `${image} second:c`, `${image} first:a`, `${image} node:right`]);
  });

  it('that all fail are told with all their errors, and no password', async () => {
    addSecret('first', { 'registry.example': 'hush' });
    addSecret('second', { 'registry.example': 'hush2' });
    images.password = 'right';
    const why =
      '[rpc error: code = Unknown desc = first is not let in, rpc error: code = Unknown desc = second is not let in]';
    await expect(ensure(newPuller(), podWith('web', 'first', 'second'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: why,
    });
    expect(events.at(-1)).toBe(`Warning Failed: Failed to pull image "${image}": ${why}`);
    expect([...events, ...logs.lines].join()).not.toContain('hush');
  });

  it('of a secret that cannot be read are told without its content', async () => {
    secrets.set('bad', {
      metadata: { name: 'bad', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('hush').toString('base64') },
    });
    await expect(ensure(newPuller(), podWith('web', 'bad'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: 'invalid image pull secret default/bad: error occurred while trying to unmarshal json',
    });
    expect(images.pulls).toEqual([]);
  });

  it('of secrets of other types are not used', async () => {
    addSecret('opaque', { 'registry.example': 'a' });
    secrets.set('opaque', { ...secrets.get('opaque')!, type: 'Opaque' });
    await ensure(newPuller(), podWith('web', 'opaque'));
    expect(images.pulls).toEqual([image]);
  });
});

describe('pulls', () => {
  const two = ['registry.example/a:1', 'registry.example/b:1'] as const;

  it('follow one another where they must, and tell how long they took and waited', async () => {
    images.waits = true;
    const puller = newPuller({ limits: { ...noLimits, maxParallel: 1 } });
    const pulls = two.map((name) => ensure(puller, podWith('web'), { image: name }));
    await settle();
    expect(images.pulls).toEqual([two[0]]);
    await clock.advance(1500);
    images.endPull();
    await settle();
    expect(images.pulls).toEqual(two);
    await clock.advance(250);
    images.endPull();
    await Promise.all(pulls);
    expect(events).toEqual([
      `Normal Pulling: Pulling image "${two[0]}"`,
      `Normal Pulling: Pulling image "${two[1]}"`,
      `Normal Pulled: Successfully pulled image "${two[0]}" in 1.5s (1.5s including waiting). Image size: 4711 bytes.`,
      `Normal Pulled: Successfully pulled image "${two[1]}" in 250ms (1.75s including waiting). Image size: 4711 bytes.`,
    ]);
  });

  it('go on together where they may', async () => {
    images.waits = true;
    const puller = newPuller({ limits: { ...noLimits, maxParallel: 2 } });
    const names = [...two, 'registry.example/c:1'];
    const pulls = names.map((name) => ensure(puller, podWith('web'), { image: name }));
    await settle();
    expect(images.pulls).toEqual(two);
    images.endPull();
    await settle();
    expect(images.pulls).toEqual(names);
    images.endPull();
    images.endPull();
    await Promise.all(pulls);
  });

  it('that wait end with their pod, and let others by', async () => {
    images.waits = true;
    const puller = newPuller({ limits: { ...noLimits, maxParallel: 1 } });
    const first = ensure(puller, podWith('web'), { image: two[0] });
    const gone = new AbortController();
    const second = ensure(puller, podWith('gone'), { image: 'registry.example/gone:1', signal: gone.signal });
    const third = ensure(puller, podWith('web'), { image: two[1] });
    await settle();
    gone.abort(new Error('the pod is gone'));
    await expect(second).rejects.toThrow('the pod is gone');
    images.endPull();
    await settle();
    images.endPull();
    await Promise.all([first, third]);
    expect(images.pulls).toEqual(two);
    expect(events.filter((event) => event.startsWith('Warning'))).toEqual([]);
  });

  it('that are too many in a second fail', async () => {
    const puller = newPuller({ limits: { maxParallel: undefined, qps: 5, burst: 2 } });
    const pull = (n: number) => ensure(puller, podWith(`web-${n}`), { image: `registry.example/${n}:1` });
    await pull(1);
    await pull(2);
    await expect(pull(3)).rejects.toMatchObject({ reason: 'ErrImagePull', message: 'pull QPS exceeded' });
    await clock.advance(200);
    await pull(4);
    expect(images.pulls).toHaveLength(3);
  });
});

describe('an image that a secret has brought to the node', () => {
  const verification: CredentialVerification = { policy: 'NeverVerifyPreloadedImages', allowlist: [] };
  const present = `Normal Pulled: Container image "${image}" already present on machine and can be accessed by the pod`;

  beforeEach(async () => {
    images.password = 'right';
    addSecret('key', { 'registry.example': 'right' });
    await ensure(newPuller({ verification }), podWith('owner', 'key'));
    events = [];
    images.pulls.length = 0;
  });

  it('can be used with the same secret, also after a restart', async () => {
    await ensure(newPuller({ verification }), podWith('other', 'key'));
    expect(images.pulls).toEqual([]);
    expect(events).toEqual([present]);
  });

  it('can be used with another secret that has the same login', async () => {
    addSecret('copy', { 'registry.example': 'right' });
    // The username is part of the login.
    secrets.set('copy', { ...secrets.get('copy')!, data: secrets.get('key')!.data });
    await ensure(newPuller({ verification }), podWith('other', 'copy'));
    expect(images.pulls).toEqual([]);
  });

  it('can be used with the same secret after it was changed', async () => {
    addSecret('key', { 'registry.example': 'rotated' });
    const puller = newPuller({ verification });
    await ensure(puller, podWith('other', 'key'));
    addSecret('other', { 'registry.example': 'rotated' }, 'another uid');
    secrets.set('other', { ...secrets.get('other')!, data: secrets.get('key')!.data });
    await ensure(puller, podWith('third', 'other'));
    expect(images.pulls).toEqual([]);
  });

  it('is pulled for a pod without a login, and so refused', async () => {
    await expect(ensure(newPuller({ verification }), podWith('thief'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
    });
    expect(images.pulls).toEqual([image]);
  });

  it('is pulled for a pod with a wrong login', async () => {
    addSecret('wrong', { 'registry.example': 'wrong' });
    await expect(ensure(newPuller({ verification }), podWith('thief', 'wrong'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
    });
    expect(images.pulls).toEqual([`${image} wrong:wrong`]);
  });

  it('is as if it were not there for a pod that does not pull', async () => {
    const message = `Container image "${image}" is not present with pull policy of Never`;
    await expect(ensure(newPuller({ verification }), podWith('thief'), { pullPolicy: 'Never' })).rejects.toMatchObject({
      reason: 'ErrImageNeverPull',
      message,
    });
    await ensure(newPuller({ verification }), podWith('owner', 'key'), { pullPolicy: 'Never' });
  });

  it('can be used by all where nobody is asked', async () => {
    await ensure(newPuller({ verification: { ...verification, policy: 'NeverVerify' } }), podWith('thief'));
    await ensure(newPuller(), podWith('thief'));
    const allowlist = ['registry.example/*'];
    await ensure(newPuller({ verification: { policy: 'NeverVerifyAllowlistedImages', allowlist } }), podWith('thief'));
    expect(images.pulls).toEqual([]);
  });

  it('is recorded without its login, and forgotten with it', async () => {
    const names = await readdir(join(directory, 'image_manager', 'pulled'));
    expect(names).toHaveLength(1);
    expect(await readdir(join(directory, 'image_manager', 'pulling'))).toEqual([]);
    const records = new PullRecords(directory);
    const [record] = await records.records();
    expect(record?.imageRef).toBe(imageOf(image).id);
    expect(JSON.stringify(record)).not.toContain('right');
    const { logger } = logs;
    const service = { listImages: async () => ({ images: [] }) } as never;
    const pulled = new PulledImages({ records, verification, images: service, clock, logger });
    await clock.advance(10_000);
    await pulled.prune(new Set([imageOf(image).id]), clock.now());
    await pulled.prune(new Set(), clock.now() - 10_000);
    expect(await records.records()).toHaveLength(1);
    await pulled.prune(new Set(), clock.now());
    expect(await records.records()).toEqual([]);
  });
});

describe('an image', () => {
  const verification: CredentialVerification = { policy: 'NeverVerifyPreloadedImages', allowlist: [] };

  it('that was always there can be used by all, unless everybody is asked', async () => {
    images.present.set(image, imageOf(image));
    images.password = 'right';
    await ensure(newPuller({ verification }), podWith('any'));
    expect(images.pulls).toEqual([]);
    const always: CredentialVerification = { ...verification, policy: 'AlwaysVerify' };
    await expect(ensure(newPuller({ verification: always }), podWith('any'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
    });
  });

  it('that was pulled without a login can be used by all', async () => {
    await ensure(newPuller({ verification }), podWith('first'));
    images.password = 'right';
    await ensure(newPuller({ verification }), podWith('any'));
    expect(images.pulls).toEqual([image]);
  });

  it('whose pull was cut short by the end of the kubelet is not for all', async () => {
    await new PullRecords(directory).writeIntent(image);
    images.present.set(image, imageOf(image));
    images.password = 'right';
    await expect(ensure(newPuller({ verification }), podWith('thief'))).rejects.toMatchObject({
      reason: 'ErrImagePull',
    });
    expect(await new PullRecords(directory).intents()).toEqual([]);
  });

  it('that the runtime cannot tell of is not pulled', async () => {
    images.cannotTell = true;
    const message = `Failed to inspect image "${image}": rpc error: code = Unknown desc = no answer`;
    await expect(ensure(newPuller(), podWith('web'))).rejects.toMatchObject({ reason: 'ImageInspectError', message });
    expect(events).toEqual([`Warning InspectFailed: ${message}`]);
  });
});
