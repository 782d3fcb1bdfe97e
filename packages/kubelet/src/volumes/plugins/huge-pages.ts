import type { Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';

const resourcePrefix = 'hugepages-';
const mediumPrefix = 'HugePages-';

export const isHugePages = (medium: string): boolean => medium === 'HugePages' || medium.startsWith(mediumPrefix);

/** Returns the options of the mount of a medium: the size of pages that the pod requests. Throws if there is none, or more than one. */
export function hugePagesOptions(medium: string, { spec }: Pod): readonly string[] {
  const requests = [
    spec?.resources?.requests,
    ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources?.requests),
  ];
  const names = requests.flatMap((each) => Object.keys(each ?? {})).filter((name) => name.startsWith(resourcePrefix));
  const sizes = names.map((name) => Quantity.parse(name.slice(resourcePrefix.length)));
  const wanted = medium === 'HugePages' ? undefined : Quantity.parse(medium.slice(mediumPrefix.length));
  const matching = wanted ? sizes.filter((size) => size.equals(wanted)) : sizes;
  const [first, ...others] = matching;
  if (!first) {
    throw new Error(`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`);
  }
  if (others.some((size) => !size.equals(first))) {
    throw new Error(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  }
  return [`pagesize=${first.toString()}`];
}
