import { testTranscripts } from './test-transcripts.ts';

testTranscripts('helm');
