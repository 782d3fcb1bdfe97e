import type { SELinuxOptions } from '@coxswain/api/core/v1';
import { type Check, type CheckPod, contextsOf, plural, quoted, settersOf, sortedSet } from './check.ts';

const types0 = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const types31 = [...types0, 'container_engine_t'];

const checkOptions =
  (types: readonly string[]): CheckPod =>
  ({ spec }) => {
    const isBadType = ({ type = '' }: SELinuxOptions): boolean => !types.includes(type);
    const isBad = (options: SELinuxOptions): boolean => isBadType(options) || !!options.user || !!options.role;
    const setters = settersOf(spec, ({ seLinuxOptions }) => !!seLinuxOptions && isBad(seLinuxOptions));
    if (!setters) return undefined;
    const all = contextsOf(spec).flatMap(({ seLinuxOptions }) => seLinuxOptions ?? []);
    const badTypes = sortedSet(all.filter(isBadType).map(({ type = '' }) => type));
    const data = [
      ...(badTypes.length > 0 ? [`${plural(badTypes.length, 'type')} ${quoted(badTypes)}`] : []),
      ...(all.some(({ user }) => user) ? ['user may not be set'] : []),
      ...(all.some(({ role }) => role) ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
    };
  };

export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, check: checkOptions(types0) },
    { since: 31, check: checkOptions(types31) },
  ],
};
