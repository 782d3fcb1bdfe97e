import type { Pod } from '@coxswain/api/core/v1';
import type { ConfigSource } from './config-source.ts';

/** The names of those of the pod's pull secrets that cannot be had. Its images may be public all the same. */
export async function missingPullSecrets({ metadata, spec }: Pod, source: ConfigSource): Promise<string[]> {
  const missing: string[] = [];
  for (const { name } of spec?.imagePullSecrets ?? []) {
    if (!name) continue;
    const secret = await source.secret(metadata.namespace ?? '', name).catch(() => undefined);
    if (!secret) missing.push(name);
  }
  return missing;
}
