import type { Answer } from './scenario.ts';

/** A place where this server means to answer otherwise than upstream does. */
interface Difference {
  readonly reason: string;
  /** `suite: sentence`, and which of its steps, counted from 1. */
  readonly at: string;
  readonly step: number;
  /** What it answers; parts that are not named are as recorded. */
  readonly answer: Answer;
}

const differences: readonly Difference[] = [];

/** What was recorded, but for what this server answers otherwise on purpose. */
export function expectedAnswers(at: string, recorded: readonly Answer[]): Answer[] {
  return recorded.map((answer, index) => {
    const difference = differences.find((one) => one.at === at && one.step === index + 1)?.answer;
    return withoutDescriptions({ ...answer, ...difference });
  });
}

/** Columns of a Table have no descriptions here: no client shows them. */
function withoutDescriptions(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer), (_, value) =>
    value && typeof value === 'object' && 'priority' in value && 'format' in value
      ? { ...value, description: '' }
      : value,
  );
}

