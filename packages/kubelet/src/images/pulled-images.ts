import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Clock, Logger } from '@coxswain/client';
import type { ImageService } from '@coxswain/cri';
import { parseImageName } from '@coxswain/cri/image-name';
import { type CredentialVerification, requiresVerification } from './credential-verification.ts';
import type { PullCredential } from './keyring.ts';
import type { ImagePulledRecord, PullRecords, RecordedCredentials, RecordedSecret } from './pull-records.ts';

export interface PulledImagesOptions {
  readonly records: PullRecords;
  readonly verification: CredentialVerification;
  readonly images: Pick<ImageService, 'listImages'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A lookup adds no secret to a record that has this many. */
const mostSecretsByLookup = 100;

/**
 * Records the logins with which images were pulled, so that a pod cannot use a private image only because it was pulled with the secret of
 * another pod. The records survive restarts of the kubelet.
 */
export class PulledImages {
  readonly #options: PulledImagesOptions;
  /** How many pulls of an image are under way, by its name. */
  readonly #pulls = new Map<string, number>();
  /** The last change of each record and intent, by the reference or name of the image. Changes of the same one follow one another. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #ready: Promise<void> | undefined;

  constructor(options: PulledImagesOptions) {
    this.#options = options;
  }

  /** Records the intent to pull an image. If the kubelet ends before the pull does, the image is not mistaken for a preloaded one. */
  async pulling(image: string): Promise<void> {
    await this.#whenReady();
    await this.#inTurn(image, async () => {
      await this.#options.records.writeIntent(image);
      this.#pulls.set(image, (this.#pulls.get(image) ?? 0) + 1);
    });
  }

  /** Records the login with which an image was pulled; none, or one of the node, if all pods may use the image. Never rejects. */
  async pulled(image: string, imageRef: string, credential: PullCredential | undefined): Promise<void> {
    try {
      const secret = credential && recordedSecret(credential);
      await this.#record(image, imageRef, secret ? { kubernetesSecrets: [secret] } : { nodePodsAccessible: true });
      await this.#pullEnded(image);
    } catch (error) {
      // The intent is kept, so the image is not mistaken for a preloaded one.
      this.#options.logger.error('failed to write image pulled record', error, { imageRef });
    }
  }

  /** Records that an image could not be pulled. Never rejects. */
  async failed(image: string): Promise<void> {
    await this.#pullEnded(image).catch((error: unknown) => {
      this.#options.logger.error('failed to remove image pull intent', error, { image });
    });
  }

  /** Returns whether a pod with these logins may use an image that is on the node, without a pull. Rejects only if `credentials` does. */
  async mayUse(
    image: string,
    imageRef: string,
    credentials: () => Promise<readonly PullCredential[]>,
  ): Promise<boolean> {
    const { records, verification, logger } = this.#options;
    let record: ImagePulledRecord | undefined;
    let isPulled: boolean;
    try {
      await this.#whenReady();
      record = await records.record(imageRef);
      isPulled = record !== undefined || this.#pulls.has(image) || (await records.hasIntent(image));
    } catch (error) {
      logger.error('Unable to access cache records about image pulls', error, { image });
      return false;
    }
    if (!requiresVerification(verification, image, isPulled)) return true;
    const known = record?.credentialMapping?.[untagged(image)];
    if (!known) return false;
    if (known.nodePodsAccessible) return true;
    const recorded = known.kubernetesSecrets ?? [];
    if (recorded.length === 0) return false;
    const own = (await credentials()).flatMap((credential) => recordedSecret(credential) ?? []);
    for (const secret of own) {
      const match = recorded.find(
        (other) => other.credentialHash === secret.credentialHash || isSameSecret(other, secret),
      );
      if (!match) continue;
      const isKnown = isSameSecret(match, secret) && match.credentialHash === secret.credentialHash;
      if (!isKnown && recorded.length < mostSecretsByLookup) {
        await this.#record(image, imageRef, { kubernetesSecrets: [secret] }).catch((error: unknown) => {
          logger.error('failed to write an image pulled record', error, { image, imageRef });
        });
      }
      return true;
    }
    return false;
  }

  /** Removes the records of images that the node no longer has. Those written since `sinceMs`, when the images were listed, stay. */
  async prune(imageRefs: ReadonlySet<string>, sinceMs: number): Promise<void> {
    const { records, logger } = this.#options;
    for (const { imageRef, lastUpdatedTime } of await records.records()) {
      if (imageRefs.has(imageRef)) continue;
      await this.#inTurn(imageRef, async () => {
        // Times of records have whole seconds.
        if (Date.parse(lastUpdatedTime) + 1000 < sinceMs) await records.removeRecord(imageRef);
      }).catch((error: unknown) => {
        logger.error('failed to remove an ImagePulledRecord', error, { imageRef });
      });
    }
  }

  async #pullEnded(image: string): Promise<void> {
    await this.#inTurn(image, async () => {
      const left = (this.#pulls.get(image) ?? 1) - 1;
      if (left > 0) {
        this.#pulls.set(image, left);
        return;
      }
      await this.#options.records.removeIntent(image);
      this.#pulls.delete(image);
    });
  }

  async #record(image: string, imageRef: string, credentials: RecordedCredentials | undefined): Promise<void> {
    const { records, clock, logger } = this.#options;
    await this.#inTurn(imageRef, async () => {
      const before = await records.record(imageRef).catch((error: unknown) => {
        logger.error('failed to retrieve an ImagePulledRecord', error, { image });
        return undefined;
      });
      const name = untagged(image);
      const known = before?.credentialMapping?.[name];
      const merged = credentials && mergedCredentials(known, credentials);
      if (before && merged === known) return;
      const lastUpdatedTime = timeFromDate(new Date(clock.now()));
      const mapping = { ...before?.credentialMapping, ...(merged && { [name]: merged }) };
      await records.writeRecord({ lastUpdatedTime, imageRef, credentialMapping: mapping });
    });
  }

  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(key, settled);
    await settled;
    if (this.#turns.get(key) === settled) this.#turns.delete(key);
    await turn;
  }

  #whenReady(): Promise<void> {
    this.#ready ??= this.#completePulls().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Records images whose pull was completed after the previous kubelet had ended. Their logins are unknown, so pods must have a valid one. */
  async #completePulls(): Promise<void> {
    const { records, images } = this.#options;
    const intents = new Set(await records.intents());
    if (intents.size === 0) return;
    const { images: present } = await images.listImages({}, { timeoutMs: 120_000 });
    for (const { id, repoTags, repoDigests } of present) {
      for (const name of new Set([...repoTags, ...repoDigests])) {
        if (!intents.has(name)) continue;
        await this.#record(name, id, undefined);
        await records.removeIntent(name);
      }
    }
  }
}

const untagged = (image: string): string => parseImageName(image)?.untagged ?? image;

const recordedSecret = ({ secret, hash }: PullCredential): RecordedSecret | undefined =>
  secret && { ...secret, credentialHash: hash };

const isSameSecret = (a: RecordedSecret, b: RecordedSecret): boolean =>
  a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;

/** Returns the same object if there is nothing new. */
function mergedCredentials(known: RecordedCredentials | undefined, added: RecordedCredentials): RecordedCredentials {
  if (!known) return added;
  if (known.nodePodsAccessible) return known;
  if (added.nodePodsAccessible) return added;
  const before = known.kubernetesSecrets ?? [];
  const isNew = ({ credentialHash, ...secret }: RecordedSecret): boolean =>
    !before.some(
      (other) => isSameSecret(other, { ...secret, credentialHash }) && other.credentialHash === credentialHash,
    );
  const fresh = (added.kubernetesSecrets ?? []).filter(isNew);
  if (fresh.length === 0) return known;
  const kept = before.filter((other) => !fresh.some((secret) => isSameSecret(secret, other)));
  return { ...known, kubernetesSecrets: [...kept, ...fresh].sort(bySecret) };
}

function bySecret(a: RecordedSecret, b: RecordedSecret): number {
  const [keyA, keyB] = [a, b].map(({ namespace, name, uid }) => `${namespace}/${name}/${uid}`) as [string, string];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}
