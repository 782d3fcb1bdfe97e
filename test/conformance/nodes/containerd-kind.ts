/** Which containerd runs: the one that `build.ts` builds, or the one of Debian's package. */
export const containerdKinds = ['built', 'debian'] as const;

export type ContainerdKind = (typeof containerdKinds)[number];

export function isContainerdKind(text: string): text is ContainerdKind {
  return containerdKinds.some((kind) => kind === text);
}
