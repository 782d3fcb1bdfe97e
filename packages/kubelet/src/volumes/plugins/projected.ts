import type {
  Pod,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Payload } from '../files/payload.ts';
import type { ServiceAccountTokens } from '../sources/service-account-tokens.ts';
import type { TrustAnchors } from '../sources/trust-anchors.ts';
import { aggregateErrors } from './aggregate-errors.ts';
import { configMapPayload } from './config-map.ts';
import { downwardAPIPayload } from './downward-api.ts';
import { modeOf } from './key-payload.ts';
import { payloadVolume } from './payload-volume.ts';
import { secretPayload } from './secret.ts';
import type { PluginContext, SetUpRequest, VolumePlugin } from './volume-plugin.ts';

interface ProjectedContext extends PluginContext {
  readonly tokens: ServiceAccountTokens;
  readonly trustAnchors: TrustAnchors;
}

/** `projected`: files from several sources in one volume. Of two files with the same path, the later one counts. */
export const projected = (context: ProjectedContext): VolumePlugin =>
  payloadVolume(context, {
    name: 'kubernetes.io/projected',
    supports: ({ volume }) => volume?.projected !== undefined,
    medium: 'Memory',
    async payload(request) {
      const source = request.spec.volume?.projected ?? {};
      const payload: Payload = new Map();
      const errors: string[] = [];
      for (const part of source.sources ?? []) {
        try {
          for (const [path, file] of await partPayload(part, source, request, context)) payload.set(path, file);
        } catch (error) {
          request.signal.throwIfAborted();
          errors.push(messageOf(error));
        }
      }
      aggregateErrors(errors);
      return payload;
    },
    onTearDown: (podUid) => context.tokens.forgetPod(podUid),
  });

async function partPayload(
  part: VolumeProjection,
  { defaultMode }: ProjectedVolumeSource,
  request: SetUpRequest,
  context: ProjectedContext,
): Promise<Payload> {
  const { pod, signal } = request;
  const { config } = context;
  const namespace = pod.metadata.namespace ?? '';
  if (part.secret) {
    const { name = '', items, optional } = part.secret;
    return await secretPayload(config, namespace, { name, items, optional }, defaultMode);
  }
  if (part.configMap) {
    const { name = '', items, optional } = part.configMap;
    return await configMapPayload(config, namespace, { name, items, optional }, defaultMode);
  }
  if (part.downwardAPI) return downwardAPIPayload(pod, context.node(), part.downwardAPI.items ?? [], defaultMode);
  if (part.serviceAccountToken) {
    const token = await tokenFor(pod, part.serviceAccountToken, context, signal);
    return ownFile(part.serviceAccountToken.path, token, defaultMode, request);
  }
  if (part.clusterTrustBundle) {
    const pem = await context.trustAnchors.pem(part.clusterTrustBundle);
    return ownFile(part.clusterTrustBundle.path, pem, defaultMode, request);
  }
  if (part.podCertificate) throw new Error('podCertificate projections are not supported by this kubelet');
  return new Map();
}

async function tokenFor(
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: ServiceAccountTokenProjection,
  { tokens }: ProjectedContext,
  signal: AbortSignal,
): Promise<string> {
  const owner = {
    namespace: metadata.namespace ?? '',
    serviceAccount: spec?.serviceAccountName ?? '',
    podName: metadata.name ?? '',
    podUid: metadata.uid ?? '',
  };
  return await tokens.token(owner, { audience, expirationSeconds }, signal);
}

/** If it is known who needs to read a file with credentials, nobody else may. The group is set with that of the whole volume. */
function ownFile(
  path: string,
  text: string,
  defaultMode: number | undefined,
  { fsUser, fsGroup }: SetUpRequest,
): Payload {
  const mode = fsUser !== undefined || fsGroup !== undefined ? 0o600 : modeOf(undefined, defaultMode);
  return new Map([[path, { data: Buffer.from(text), mode, owner: fsUser }]]);
}
