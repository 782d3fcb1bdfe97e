import { describe, expect, it } from 'vitest';
import { jobFieldLabels, jobStrategy } from './job.ts';

describe('jobs', () => {
  it('can be selected by the number of succeeded pods', () => {
    const select = jobStrategy.selectableFields!['status.successful']!;
    const job = { metadata: {}, spec: { template: {} } };
    expect(select({ ...job, status: { succeeded: 3 } })).toBe('3');
    expect(select(job)).toBe('0');
    expect(jobFieldLabels('status.successful', '3')).toEqual({ label: 'status.successful', value: '3' });
    expect(jobFieldLabels('metadata.name', 'x')).toEqual({ label: 'metadata.name', value: 'x' });
    expect(() => jobFieldLabels('status.foo', '0')).toThrow(
      new Error('field label "status.foo" not supported for Job'),
    );
  });
});
