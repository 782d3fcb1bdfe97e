const categories =
  'C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs';

const aliases =
  'other=C control=Cc cntrl=Cc format=Cf unassigned=Cn privateuse=Co surrogate=Cs letter=L casedletter=LC ' +
  'lowercaseletter=Ll modifierletter=Lm otherletter=Lo titlecaseletter=Lt uppercaseletter=Lu combiningmark=M ' +
  'mark=M spacingmark=Mc enclosingmark=Me nonspacingmark=Mn number=N decimalnumber=Nd digit=Nd letternumber=Nl ' +
  'othernumber=No punctuation=P punct=P connectorpunctuation=Pc dashpunctuation=Pd closepunctuation=Pe ' +
  'finalpunctuation=Pf initialpunctuation=Pi otherpunctuation=Po openpunctuation=Ps symbol=S currencysymbol=Sc ' +
  'modifiersymbol=Sk mathsymbol=Sm othersymbol=So separator=Z lineseparator=Zl paragraphseparator=Zp ' +
  'spaceseparator=Zs';

const scriptNames =
  'Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese ' +
  'Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dogra ' +
  'Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul ' +
  'Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki ' +
  'Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen ' +
  'Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage ' +
  'Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo ' +
  'Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto ' +
  'Ugaritic Vai Vithkuqi Wancho Yezidi Yi';

/** The categories by their names in expressions, in lower case and without underscores. */
export const categoryAliases: ReadonlyMap<string, string> = new Map([
  ...categories.split(' ').map((name) => [name.toLowerCase(), name] as const),
  ...aliases.split(' ').map((alias) => alias.split('=') as [string, string]),
]);

/** The scripts whose names are one word, in lower case. Go does not find the others, because it removes underscores first. */
export const scripts: ReadonlyMap<string, string> = new Map(
  scriptNames.split(' ').map((name) => [name.toLowerCase(), name]),
);
