import type { Random } from '@coxswain/apimachinery/random';
import type { Logger } from '@coxswain/client';
import { ServiceAccountTokens } from '../sources/service-account-tokens.ts';
import { TrustAnchors } from '../sources/trust-anchors.ts';
import type { VolumeApi } from '../sources/volume-api.ts';
import { configMap } from './config-map.ts';
import { downwardAPI } from './downward-api.ts';
import { emptyDir } from './empty-dir.ts';
import { hostPath } from './host-path.ts';
import { image } from './image.ts';
import { local } from './local.ts';
import { projected } from './projected.ts';
import { secret } from './secret.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

interface VolumePluginsOptions extends PluginContext {
  readonly api: VolumeApi;
  readonly random: Pick<Random, 'number'>;
  readonly logger: Logger;
}

/** All kinds of volumes that this kubelet can mount. Claims are resolved before, so they are not among them. */
export function volumePlugins(options: VolumePluginsOptions): readonly VolumePlugin[] {
  const { api, clock, random, logger } = options;
  const tokens = new ServiceAccountTokens({ api, clock, random, logger });
  const trustAnchors = new TrustAnchors(api, clock);
  return [
    emptyDir(options),
    configMap(options),
    secret(options),
    downwardAPI(options),
    projected({ ...options, tokens, trustAnchors }),
    hostPath(options),
    local(options),
    image(),
  ];
}
