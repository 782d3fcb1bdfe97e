import {
  type ErrorList,
  forbidden,
  invalid,
  isConfigMapKey,
  nameIsDnsSubdomain,
  type Path,
  required,
  validateNamespaceName,
} from '@coxswain/apimachinery';
import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '../../../generated/core/v1.ts';
import { invalidEach } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';

/** Validates a config source. The kubelet no longer uses it, but stored nodes may have one. */
export function validateConfigSourceSpec(source: NodeConfigSource, path: Path): ErrorList {
  return validateSource(source, path, ({ uid, resourceVersion }, at) =>
    Object.entries({ uid, resourceVersion })
      .filter(([, value]) => value)
      .map(([field]) => forbidden(at.child(field), `${field} must not be set in spec`)),
  );
}

export function validateConfigStatus(status: NodeConfigStatus, path: Path): ErrorList {
  return (['assigned', 'active', 'lastKnownGood'] as const).flatMap((field) => {
    const source = status[field];
    if (!source) return [];
    return validateSource(source, path.child(field), ({ uid, resourceVersion }, at) =>
      Object.entries({ uid, resourceVersion })
        .filter(([, value]) => !value)
        .map(([name]) => required(at.child(name))),
    );
  });
}

type ConfigMapRule = (source: ConfigMapNodeConfigSource, path: Path) => ErrorList;

function validateSource(source: NodeConfigSource, path: Path, rule: ConfigMapRule): ErrorList {
  const { configMap } = source;
  if (!configMap) {
    const value = internalForm('NodeConfigSource', source);
    return [invalid(path, value, 'exactly one reference subfield must be non-nil')];
  }
  const at = path.child('configMap');
  const checks = {
    namespace: (text: string) => validateNamespaceName(text, false),
    name: (text: string) => nameIsDnsSubdomain(text, false),
    kubeletConfigKey: isConfigMapKey,
  };
  const errors = rule(configMap, at);
  for (const [field, check] of Object.entries(checks)) {
    const value = configMap[field as keyof typeof checks];
    errors.push(...(value ? invalidEach(at.child(field), value, check(value)) : [required(at.child(field))]));
  }
  return errors;
}
