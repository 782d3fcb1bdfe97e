import type { Pod } from '@coxswain/api/core/v1';
import { isInternalError, isJsonObject, isTimeout, isTooManyRequests } from '@coxswain/apimachinery';
import { LruExpireCache } from '@coxswain/apimachinery/cache';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type KubeconfigWebhook, WebhookCallError, webhookFromKubeconfig } from '../../webhook/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import type { ImagePolicyWebhookConfiguration } from './image-policy-configuration.ts';

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/';
const failedOpenAnnotation = 'alpha.image-policy.k8s.io/failed-open';
const timeoutMs = 30_000;
const attempts = 5;
const backoffFactor = 1.5;
const maxRemembered = 1024;

interface ImageReviewSpec {
  readonly containers?: readonly { readonly image: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
}

interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Calls a webhook that decides which images are allowed. */
export function imagePolicyWebhook(
  { now }: Pick<AdmissionContext, 'now'>,
  configuration: ImagePolicyWebhookConfiguration,
): AdmissionPlugin {
  const { kubeConfigFile, allowTtlMs, denyTtlMs, retryBackoffMs, defaultAllow } = configuration;
  /** By review spec. */
  const remembered = new LruExpireCache<string, ImageReviewStatus>(maxRemembered, now);
  let opened: Promise<KubeconfigWebhook> | undefined;

  const ask = async (spec: ImageReviewSpec, clock: Clock): Promise<ImageReviewStatus> => {
    opened ??= webhookFromKubeconfig(kubeConfigFile, { userAgent: 'kube-apiserver-admission', now });
    const webhook = await opened;
    const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {}, spec };
    return retried(clock, retryBackoffMs, async () => statusOf(await webhook.call(review, { timeoutMs })));
  };

  const judge = async (spec: ImageReviewSpec, clock: Clock): Promise<ImageReviewStatus> => {
    const key = JSON.stringify(spec);
    const known = remembered.get(key);
    if (known) return known;
    const status = await ask(spec, clock);
    remembered.set(key, status, status.allowed ? allowTtlMs : denyTtlMs);
    return status;
  };

  return {
    name: 'ImagePolicyWebhook',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/ephemeralcontainers'],
    async validate(attributes) {
      let status: ImageReviewStatus;
      try {
        status = await judge(specOf(attributes), attributes.clock);
      } catch (error) {
        if (!defaultAllow) throw admissionForbidden(attributes, messageOf(error));
        return failOpen(attributes);
      }
      for (const [key, value] of Object.entries(status.auditAnnotations))
        attributes.annotate(`${auditPrefix}${key}`, value);
      if (status.allowed) return;
      throw admissionForbidden(
        attributes,
        status.reason
          ? `image policy webhook backend denied one or more images: ${status.reason}`
          : 'one or more images rejected by webhook backend',
      );
    },
    close: () => {
      void opened?.then(
        (webhook) => webhook.close(),
        () => {},
      );
    },
  };
}

function specOf({ object, subresource, namespace }: AdmissionAttributes): ImageReviewSpec {
  const { metadata, spec } = object as Pod;
  const containers =
    subresource === ''
      ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
      : (spec?.ephemeralContainers ?? []);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) =>
    key.includes('.image-policy.k8s.io/'),
  );
  return {
    ...(containers.length > 0 && { containers: containers.map(({ image = '' }) => ({ image })) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    namespace,
  };
}

function failOpen({ object, annotate }: AdmissionAttributes): void {
  annotate(`${auditPrefix}failed-open`, 'true');
  if (!object) return;
  const annotations = { ...object.metadata?.annotations, [failedOpenAnnotation]: 'true' };
  object.metadata = { ...object.metadata, annotations };
}

function statusOf(review: unknown): ImageReviewStatus {
  const status = isJsonObject(review) && isJsonObject(review.status) ? review.status : {};
  const { allowed, reason, auditAnnotations } = status;
  const texts = Object.entries(isJsonObject(auditAnnotations) ? auditAnnotations : {});
  return {
    allowed: allowed === true,
    reason: typeof reason === 'string' ? reason : '',
    auditAnnotations: Object.fromEntries(texts.map(([key, value]) => [key, String(value)])),
  };
}

/** Retries with increasing delays after failures that may be temporary. */
async function retried<T>(clock: Clock, backoffMs: number, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || !mayPass(error)) throw error;
      await sleep(clock, backoffMs * backoffFactor ** (attempt - 1));
    }
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof WebhookCallError &&
  (isInternalError(error.status) || isTimeout(error.status) || isTooManyRequests(error.status));
