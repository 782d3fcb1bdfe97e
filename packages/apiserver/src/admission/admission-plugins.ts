const on = { byDefault: true };
const off = { byDefault: false };

/**
 * All names for `--enable-admission-plugins` and `--disable-admission-plugins`, in the order in which plug-ins run,
 * which does not depend on the flags. Their constructors are in `server/default-admission.ts`.
 */
export const knownAdmissionPlugins: ReadonlyMap<string, { readonly byDefault: boolean }> = new Map([
  // It does nothing, as upstream's.
  ['AlwaysAdmit', off],
  ['NamespaceAutoProvision', off],
  ['NamespaceLifecycle', on],
  ['NamespaceExists', off],
  ['LimitPodHardAntiAffinityTopology', off],
  ['LimitRanger', on],
  ['ServiceAccount', on],
  ['NodeRestriction', off],
  ['TaintNodesByCondition', on],
  ['AlwaysPullImages', off],
  ['ImagePolicyWebhook', off],
  ['PodSecurity', on],
  ['PodNodeSelector', off],
  ['Priority', on],
  ['DefaultTolerationSeconds', on],
  ['PodTolerationRestriction', off],
  ['EventRateLimit', off],
  ['ExtendedResourceToleration', off],
  ['DefaultStorageClass', on],
  ['StorageObjectInUseProtection', on],
  ['PodGroupProtection', on],
  ['OwnerReferencesPermissionEnforcement', off],
  ['PersistentVolumeClaimResize', on],
  ['RuntimeClass', on],
  ['CertificateApproval', on],
  ['CertificateSigning', on],
  ['ClusterTrustBundleAttest', on],
  ['CertificateSubjectRestriction', on],
  ['DefaultIngressClass', on],
  ['DenyServiceExternalIPs', off],
  ['PodTopologyLabels', on],
  ['PodGroupWorkloadExists', on],
  ['NodeDeclaredFeatureValidator', on],
  ['JobValidation', on],
  ['PodResizeValidator', on],
  ['MutatingAdmissionPolicy', on],
  ['MutatingAdmissionWebhook', on],
  ['ValidatingAdmissionPolicy', on],
  ['ValidatingAdmissionWebhook', on],
  ['ResourceQuota', on],
  ['AlwaysDeny', off],
]);

/** Returns the errors of the two flags. */
export function admissionPluginProblems(enabled: readonly string[], disabled: readonly string[]): string[] {
  const unknown = (flag: string, names: readonly string[]): string[] =>
    names
      .filter((name) => !knownAdmissionPlugins.has(name))
      .map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  return [
    ...unknown('enable-admission-plugins', enabled),
    ...unknown('disable-admission-plugins', disabled),
    ...(both.length > 0
      ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
  ];
}

/**
 * Adds the plug-ins that authorizers require to the enabled ones. Differs from upstream, where NodeRestriction must be
 * enabled by flag, as kubeadm does: without it, a node that the Node authorizer allows to write may also write to other
 * nodes.
 */
export const enabledByAuthorizers = (enabled: readonly string[], authorizers: readonly string[]): readonly string[] =>
  authorizers.includes('Node') ? [...enabled, 'NodeRestriction'] : enabled;

/** The names of enabled plug-ins, in the order in which they run. */
export const enabledAdmissionPlugins = (enabled: readonly string[], disabled: readonly string[]): string[] =>
  [...knownAdmissionPlugins].flatMap(([name, { byDefault }]) =>
    !disabled.includes(name) && (byDefault || enabled.includes(name)) ? [name] : [],
  );
