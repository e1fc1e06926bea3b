// Writes rates files in the layout of the European Central Bank's eurofxref-daily.xml.

/** A daily file; the first of the cubes is on line 9, the day on line 8. */
export function dailyFile(cubes: readonly string[], time = '2026-11-20'): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">',
    '<gesmes:subject>Reference rates</gesmes:subject>',
    '<gesmes:Sender>',
    '<gesmes:name>European Central Bank</gesmes:name>',
    '</gesmes:Sender>',
    '<Cube>',
    `<Cube time='${time}'>`,
    ...cubes,
    '</Cube>',
    '</Cube>',
    '</gesmes:Envelope>',
    '',
  ].join('\n')
}
