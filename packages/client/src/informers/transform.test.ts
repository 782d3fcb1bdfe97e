import { describe, expect, it } from 'vitest';
import { isUnread, lazyMetadata } from '../lazy-objects/lazy-object.ts';
import { stripManagedFields } from './transform.ts';

describe('stripManagedFields', () => {
  it('removes managedFields', () => {
    const pod = { metadata: { name: 'web', managedFields: [{ manager: 'kubectl' }] } };
    expect(stripManagedFields(pod)).toBe(pod);
    expect(pod).toStrictEqual({ metadata: { name: 'web' } });
    expect(stripManagedFields({})).toEqual({});
  });

  it('removes unread members without parsing them', () => {
    const metadata = lazyMetadata({ name: 'web' }, new TextEncoder().encode('whoever reads this finds no JSON'));
    expect(stripManagedFields({ metadata })).toStrictEqual({ metadata: { name: 'web' } });
    expect(isUnread(metadata)).toBe(false);
  });
});
