import type { Taint } from '@coxswain/api/core/v1';

const effects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] satisfies Taint['effect'][];

export const isTaintEffect = (text: string): text is Taint['effect'] => effects.includes(text);
