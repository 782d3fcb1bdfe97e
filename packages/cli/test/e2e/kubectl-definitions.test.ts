import { testTranscripts } from './test-transcripts.ts';

testTranscripts('definitions', 'conversion');
