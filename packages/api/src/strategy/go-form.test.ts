import { expect, it } from 'vitest';
import { goForm, goShape } from './go-form.ts';

it('shows every field of a value by its Go name', () => {
  const shape = goShape("APIGroup=apiGroup Kind:'' Count:0 Ready:false");
  expect(JSON.stringify(goForm(shape, [{ kind: 'A' }, { apiGroup: 'g', kind: '', count: 2, ready: true }]))).toBe(
    '[{"APIGroup":null,"Kind":"A","Count":0,"Ready":false},{"APIGroup":"g","Kind":"","Count":2,"Ready":true}]',
  );
});
