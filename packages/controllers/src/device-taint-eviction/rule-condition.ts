import type { DeviceTaintRule } from '@coxswain/api/resource/v1beta2';
import type { Condition } from '@coxswain/apimachinery/meta';

/** The effects of a rule, or with effect None the simulated ones. */
export interface RuleEffects {
  readonly pendingPods: number;
  /** The number of namespaces of the pending pods. */
  readonly namespaces: number;
  readonly evictedPods: number;
  readonly publishedDevices: number;
  readonly allocatedDevices: number;
}

export const conditionType = 'EvictionInProgress';

/** Returns the rule's condition without its lastTransitionTime. */
export function ruleCondition(rule: DeviceTaintRule, effects: RuleEffects): Omit<Condition, 'lastTransitionTime'> {
  const { reason, message } = progress(rule, effects);
  const evicted = `${counted(effects.evictedPods, 'pod')} evicted since starting the controller.`;
  return {
    type: conditionType,
    status: reason === 'PodsPendingEviction' ? 'True' : 'False',
    observedGeneration: rule.metadata.generation ?? 0,
    reason,
    message: [message, ...(effects.evictedPods > 0 ? [evicted] : [])].filter((part) => part !== '').join(' '),
  };
}

function progress({ spec }: DeviceTaintRule, effects: RuleEffects): Pick<Condition, 'reason' | 'message'> {
  const { pendingPods, evictedPods, publishedDevices, allocatedDevices } = effects;
  const namespaces = effects.namespaces === 1 ? '1 namespace' : `${effects.namespaces} different namespaces`;
  const pods = counted(pendingPods, 'pod');
  if (spec.taint.effect === 'None') {
    return {
      reason: 'NoEffect',
      message:
        `${counted(publishedDevices, 'published device')} selected. ` +
        `${counted(allocatedDevices, 'allocated device')} selected. ` +
        `${pods} would be evicted in ${namespaces} if the effect was NoExecute. ` +
        'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
    };
  }
  if (spec.taint.effect !== 'NoExecute') {
    return { reason: 'OtherEffect', message: 'Eviction only happens for the NoExecute effect.' };
  }
  if (pendingPods > 0) {
    const need = pendingPods === 1 ? 'needs' : 'need';
    return { reason: 'PodsPendingEviction', message: `${pods} ${need} to be evicted in ${namespaces}.` };
  }
  return { reason: evictedPods > 0 ? 'Completed' : 'NotStarted', message: '' };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
