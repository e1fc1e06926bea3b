// What is masked, and what is not. Canaries are strings that must never come out.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'

const redactor = new Redactor()
const canary = 'zqCanary0815'

const secrets = {
  bearer: 'Bearer abcDEF123._~+/-=',
  basic: 'Basic dXNlcjpwYXNzd29yZA==',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  aws: 'AKIAIOSFODNN7EXAMPLE',
  awsTemporary: 'ASIAIOSFODNN7EXAMPLE',
  github: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  githubFine: 'github_pat_11ABCDEFG0123456789_abcdefghij',
  stripe: 'sk_live_0123456789abcdefghij',
  slack: 'xoxb-123456789012-abcdefghijkl',
  slackApp: 'xapp-1-A0123456789-0123456789012-0123456789abcdef',
  gitlab: 'glpat-0123456789_abcdefghi',
  gitlabRoutable: 'glpat-0123456789abcdefghijABCDEFG.01.0a1b2c3d4',
  npm: 'npm_0123456789abcdefghijABCDEFGHIJ012345',
  pypi: 'pypi-AgEIcHlwaS5vcmcCJGQ0Zjk3ODRmLTgx',
  webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  sendgrid: 'SG.0123456789abcdefghijkl.0123456789abcdefghijABCDEFGHIJ0123456789abc',
  googleAccess: 'ya29.a0AfH6SMBx0123456789-abcdefghij_ABCDEFGHIJ',
  openai: 'sk-proj-0123456789abcdefghijABCDEFGHIJ',
  anthropic: 'sk-ant-api03-0123456789abcdefghij-ABCDEFGHIJ',
  huggingFace: 'hf_abcdefghijklmnopqrstuvwxyzABCDEFGH',
  digitalOcean: 'dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  google: 'AIzaSyA0123456789abcdefghijklmnopqrstuv',
  card: '4111 1111 1111 1111',
  cardPlain: '5500005555555559',
  pem: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----',
}

describe('Redactor.headers', () => {
  it('shows the headers of the allow-list and of all others the name only', () => {
    const shown = redactor.headers([
      'Accept',
      'text/html',
      'If-None-Match',
      '"e"',
      'Sec-Fetch-Site',
      'none',
      'X-Unknown',
      canary,
    ])
    assert.deepEqual(shown, [
      ['Accept', 'text/html'],
      ['If-None-Match', '"e"'],
      ['Sec-Fetch-Site', 'none'],
      ['X-Unknown', '******'],
    ])
  })

  for (const name of [
    'X-Api-Key',
    'x-auth-user',
    'X-Amz-Foo-Signature',
    'X-Forwarded-For',
    'X-Real-IP',
    'DPoP',
    'ssl-client-cert',
    '__proto__',
    'constructor',
  ]) {
    it(`masks ${name}`, () => assert.deepEqual(redactor.headers([name, canary]), [[name, '******']]))
  }

  for (const name of ['Authorization', 'PROXY-AUTHORIZATION']) {
    it(`masks ${name} and says its form`, () => {
      assert.deepEqual(redactor.headers([name, canary]), [[name, `****** (no scheme, ${canary.length} characters)`]])
    })
  }

  it('keeps the names of cookies', () => {
    assert.deepEqual(redactor.headers(['Cookie', `sid=${canary}; theme="${canary}"; ${canary}`]), [
      ['Cookie', 'sid=******; theme=******; =******'],
    ])
  })

  it('applies the URL rules to referer and origin, and the value rules to what is shown', () => {
    const shown = redactor.headers([
      'Referer',
      `http://u:${canary}@h/p?a=1&token=${canary}#${canary}`,
      'Origin',
      `http://u:${canary}@h`,
      'User-Agent',
      `x ${secrets.jwt}`,
    ])
    assert.deepEqual(
      shown.map(([, value]) => value),
      ['http://u:******@h/p?a=1&token=******#******', 'http://u:******@h', 'x ******'],
    )
  })
})

it('Redactor.responseHeaders: shows all but cookies, credentials and the secrets of a location', () => {
  const sent = [
    'Content-Type',
    'text/html',
    'Set-Cookie',
    `sid=${canary}; Path=/; HttpOnly`,
    'Location',
    `/x?access_token=${canary}`,
    'X-Auth-Token',
    canary,
    'X-Session-Token',
    canary,
    'WWW-Authenticate',
    canary,
    'X-Debug-Token',
    'abc',
  ]
  assert.deepEqual(redactor.responseHeaders(sent), [
    ['Content-Type', 'text/html'],
    ['Set-Cookie', 'sid=******; Path=/; HttpOnly'],
    ['Location', '/x?access_token=******'],
    ['X-Auth-Token', '******'],
    ['X-Session-Token', '******'],
    ['WWW-Authenticate', '******'],
    ['X-Debug-Token', 'abc'],
  ])
})

describe('Redactor.url', () => {
  const urls: readonly [string, string][] = [
    ['http://user:pass@host/path?x=1', 'http://user:******@host/path?x=1'],
    ['http://host/p?password=a&x=%zz&y', 'http://host/p?password=******&x=%zz&y'],
    ['http://host/p?pass%77ord=a', 'http://host/p?pass%77ord=******'],
    [
      'http://host/p?user[password]=a&user%5Bapi_key%5D=b',
      'http://host/p?user[password]=******&user%5Bapi_key%5D=******',
    ],
    ['/p?code=a&state=b', '/p?code=******&state=b'],
    ['/p?code=a', '/p?code=a'],
    ['/p?monkey=1&keyboard=2&key=3', '/p?monkey=1&keyboard=2&key=******'],
    ['/p#access_token=x', '/p#******'],
    ['http://127.0.0.1:8000/@fs/etc', 'http://127.0.0.1:8000/@fs/etc'],
    ['redis://:pw@host:6379/0', 'redis://:******@host:6379/0'],
    ['//a/b?accessToken=1', '//a/b?accessToken=******'],
    ['/p?next=http://u:pw@h/&b=1', '/p?next=******&b=1'],
    ['/p?next=http%3A%2F%2Fu%3Apw%40h%2F', '/p?next=******'],
    ['/p;jsessionid=abc', '/p;jsessionid=******'],
    ['/p/ghp_0123456789abcdefghij', '/p/******'],
    ['/p?redirect_uri=https%3A%2F%2Fh%2F%3Faccess_token%3DX&b=1', '/p?redirect_uri=******&b=1'],
    ['/p?q=%20ghp_0123456789abcdefghij', '/p?q=******'],
    ['/p?f=%7B%22password%22%3A%22x%22%7D', '/p?f=******'],
    ['/p?n=4111%201111%201111%201111', '/p?n=******'],
    ['/p?%7B%22password%22%3A%22x%22%7D', '/p?******'],
    ['/a%20b/%20ghp_0123456789abcdefghij/c?q=a%20b&r=50%25&s=a+b', '/a%20b/******/c?q=a%20b&r=50%25&s=a+b'],
    [
      '/p?q=%7B%22a%22%3A1%7D&at=user%40h&u=http%3A%2F%2Fh%2F%3Fpage%3D2',
      '/p?q=%7B%22a%22%3A1%7D&at=user%40h&u=http%3A%2F%2Fh%2F%3Fpage%3D2',
    ],
    ['', ''],
  ]
  for (const [url, masked] of urls) {
    it(`masks ${url}`, () => assert.equal(redactor.url(url), masked))
  }

  it('never throws and lets no password through', () => {
    const word = fc.stringMatching(/^[a-z0-9.%]{1,10}$/)
    fc.assert(
      fc.property(
        word,
        word,
        fc.constantFrom('password', 'api_key', 'X-Amz-Signature', 'id_token', 'sid'),
        fc.boolean(),
        (user, path, key, inText) => {
          const url = `https://${user}:${canary}@host/${path}?a=1&${key}=${canary}&b=2#${canary}`
          const masked = inText ? redactor.text(`GET "${url}" failed`) : redactor.url(url)
          assert.ok(!masked.includes(canary), masked)
          assert.ok(masked.includes(`/${path}?a=1&`))
        },
      ),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (url) => void redactor.url(url)),
      { numRuns: 200 },
    )
  })
})

it('Redactor.query and cookies: gives decoded pairs with sensitive values masked', () => {
  assert.deepEqual(redactor.query('a=1&a=%C3%A4&token=x&empty&code=1&state=2'), [
    ['a', '1'],
    ['a', 'ä'],
    ['token', '******'],
    ['empty', ''],
    ['code', '******'],
    ['state', '2'],
  ])
  assert.deepEqual(redactor.query(''), [])
  assert.deepEqual(redactor.cookies('a=1; b=2'), [
    ['a', '******'],
    ['b', '******'],
  ])
})

describe('Redactor.text', () => {
  for (const [kind, secret] of Object.entries(secrets)) {
    it(`masks a ${kind} anywhere in a text`, () => {
      const masked = redactor.text(`before ${secret} after`)
      const core = secret.replace(/^(?:Bearer|Basic) /, '')
      assert.ok(!masked.includes(core), masked)
      assert.ok(masked.startsWith('before ') && masked.endsWith(' after'))
    })
  }

  it('masks what makes the address of a webhook a secret', () => {
    for (const [address, shown] of [
      ['https://hooks.slack.com/services/T0/B0/aA0', 'https://hooks.slack.com/services/******'],
      ['https://hooks.slack.com/triggers/T0/1/aA0', 'https://hooks.slack.com/triggers/******'],
      ['https://discord.com/api/webhooks/1/a-A_0?wait=true', 'https://discord.com/api/webhooks/******?wait=true'],
      ['https://ptb.discordapp.com/api/v10/webhooks/1/a', 'https://ptb.discordapp.com/api/v10/webhooks/******'],
      [
        'https://o.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4',
        'https://o.webhook.office.com/webhookb2/******',
      ],
      ['https://outlook.office.com/webhook/1@2/IncomingWebhook/3/4', 'https://outlook.office.com/webhook/******'],
      ['https://discord.com/channels/1/2', 'https://discord.com/channels/1/2'],
    ] as const) {
      assert.equal(redactor.text(`POST ${address} failed`), `POST ${shown} failed`)
      assert.equal(redactor.url(address), shown)
    }
  })

  it('masks what is behind a sensitive name', () => {
    const texts: readonly [string, string][] = [
      [`connect password=${canary} user=me`, 'connect password=****** user=me'],
      [`{"api_key":"${canary}","a":1}`, '{"api_key":"******","a":1}'],
      [`{\\"password\\":\\"${canary}\\",\\"a\\":1}`, '{\\"password\\":\\"******\\",\\"a\\":1}'],
      [`{ clientSecret: '${canary}' }`, "{ clientSecret: '******' }"],
      [`Server=x;Password=${canary};Timeout=1`, 'Server=x;Password=******;Timeout=1'],
      [`AccountKey=${canary}+/==;EndpointSuffix=x`, 'AccountKey=******;EndpointSuffix=x'],
      [`<a:password>${canary}</a:password><b>c</b>`, '<a:password>******</a:password><b>c</b>'],
      [`<token><![CDATA[${canary}]]></token>`, '<token><![CDATA[******]]></token>'],
      [`<token><![CDATA[${canary}`, '<token><![CDATA[******'],
      [`from /cb?next=%2F%3Ftoken%3D${canary} to`, 'from /cb?next=****** to'],
    ]
    for (const [text, masked] of texts) assert.equal(redactor.text(text), masked)
  })

  it('leaves ordinary text alone', () => {
    for (const text of [
      'No route found for "GET http://127.0.0.1:8000/a/b?x=1"',
      'Unknown key: banana',
      'the pass is open',
      '1763721234567 ms',
      'Expected 12345678901234567890 items',
      'a=b: c',
      'Invalid token: <EOF>',
      'Expected Promise<Token> but got Set<Token>',
      'password > 5 and token => x',
      '100% of %s and %20off',
      'glass-house-with-many-windows, npm_config_user_agent, sk-button-with-a-long-name, SG.1',
    ]) {
      assert.equal(redactor.text(text), text)
    }
  })

  it('cuts behind what it masks, so that a secret on the edge does not survive in part', () => {
    for (let before = 40; before < 60; before += 1) {
      for (const secret of [secrets.github, secrets.jwt, secrets.cardPlain]) {
        const masked = redactor.text(`${' '.repeat(before)}${secret} ${'x'.repeat(2000)}`, 60)
        assert.ok(!masked.includes(secret.slice(0, 12)), masked)
        assert.match(masked, /… \[\d+ more characters\]$/)
      }
    }
  })

  it('gives the same when it masks twice', () => {
    const parts = fc.constantFrom(
      ...Object.values(secrets),
      `password=${canary}`,
      `http://u:${canary}@h/?token=${canary}#f`,
      '"token": "x"',
      ' ',
      ', ',
      'word',
      '=',
      ':',
      '"',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (words) => {
        const once = redactor.text(words.join(' '))
        assert.equal(redactor.text(once), once)
        assert.ok(!once.includes(canary), once)
      }),
      { numRuns: 200 },
    )
  })
})

describe('Redactor.value', () => {
  it('masks by key, the whole subtree, through objects, arrays and maps', () => {
    const value = {
      user: { name: 'x', newPassword: canary, list: [{ 'api-key': canary }, ['a']] },
      session: { deep: { id: canary } },
      map: new Map<string, unknown>([
        ['token', canary],
        ['other', 1],
      ]),
      error: Object.assign(new Error(`failed with Bearer ${canary}`), { statusCode: 404, authorization: canary }),
    }
    const text = JSON.stringify(redactor.value(value))
    assert.ok(!text.includes(canary), text)
    assert.match(text, /"name":"x"/)
    assert.match(text, /"session":"\*{6}"/)
    assert.match(text, /"other":1/)
    assert.match(text, /"statusCode":404/)
  })

  it('shows a boolean and null under a sensitive key: they give nothing away, and may be the fault', () => {
    const value = { private: false, hasPassword: true, token: null, secret: 0, password: '' }
    assert.equal(
      JSON.stringify(redactor.value(value)),
      '{"private":false,"hasPassword":true,"token":null,"secret":"******","password":"******"}',
    )
    const map = new Map<string, unknown>([
      ['token', null],
      ['secret', 'x'],
    ])
    assert.match(JSON.stringify(redactor.value(map)), /"token":null,"secret":"\*{6}"/)
  })

  it('masks a code only beside a state', () => {
    assert.deepEqual({ ...(redactor.value({ code: 'EUR' }) as object) }, { code: 'EUR' })
    assert.deepEqual({ ...(redactor.value({ code: 'x', state: 'y' }) as object) }, { code: '******', state: 'y' })
  })

  it('lets no canary through wherever it is put under a sensitive key', () => {
    const key = fc.constantFrom(
      'password',
      'Passwd',
      'client-secret',
      'refresh.token',
      'idToken',
      'api key',
      'sessionid',
      'connect.sid',
      'card_number',
      'cvv',
      'SAMLResponse',
      '_csrf_token',
      'MYSQL_PWD',
      'dsn',
    )
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.record({ secret: tie('leaf'), next: tie('node') }),
        fc.array(tie('node'), { maxLength: 3 }),
        tie('leaf'),
      ),
      leaf: key.map((name) => ({ [name]: { inner: canary }, [`x_${name}`]: 1 })),
    })).node
    fc.assert(
      fc.property(tree, (value) => assert.ok(!JSON.stringify(redactor.value(value)).includes(canary))),
      { numRuns: 200 },
    )
  })

  it('masks card numbers that are numbers, and leaves times alone', () => {
    assert.equal(redactor.value(4111111111111111), '******')
    for (const time of [1763721234567, 1763721234575, 0, -1, 1e300]) assert.equal(redactor.value(time), time)
  })
})

it('Redactor: names: masks a secret that is in the place of a name', () => {
  for (const secret of [secrets.aws, secrets.github, secrets.cardPlain, secrets.stripe]) {
    assert.deepEqual(redactor.query(secret), [['******', '']])
    assert.deepEqual(Object.keys(redactor.value({ [secret]: 1 }) as object), ['******'])
  }
})

describe('Redactor rules of an application', () => {
  const own = new Redactor({ headers: ['Accept', 'X-Tenant'], keys: ['tenantId'], patterns: [/zq[A-Z]\w+/] })

  it('add headers, keys and patterns', () => {
    assert.deepEqual(own.headers(['accept', 'a']), [['accept', '******']])
    assert.deepEqual(own.responseHeaders(['X-Tenant', 'a']), [['X-Tenant', '******']])
    assert.equal(own.url('/?tenant-id=1'), '/?tenant-id=******')
    assert.equal(own.text(`a ${canary} b`), 'a ****** b')
  })

  it('take nothing away', () => assert.deepEqual(own.headers(['x-api-key', 'x']), [['x-api-key', '******']]))
})

describe('Redactor: bounds', () => {
  it('stays linear on hostile text', () => {
    const hostile = [
      '-----BEGIN ',
      'eyJ',
      '1 1',
      '://',
      '=',
      ':',
      '"',
      '\\"',
      'Bearer ',
      'xoxb-',
      'a=',
      '%',
      'password=',
      'http://',
      'http://a:b@',
      '{"a":',
      'AKIA',
      "'",
      '%25',
      '%2541',
      '/%3F=',
      '<token>',
      '<token><![CDATA[',
      'hooks.slack.com/services/',
      'glpat-',
      'SG.a',
      'password: ',
      '<a b="',
      '<password a="b"',
      'a:b@',
      ' -u a:',
      'Token ',
      '["password","',
      'name="password" value="',
      'password:\\n',
      'password:\n',
      '"""',
      '===',
      "http://h/'",
      'пароль: ',
      'a:b@c:1',
      'mysql ',
      'mysql -a ',
      'redis-cli -x y ',
      'password => ',
      'password=>',
    ]
    for (const part of hostile) {
      const text = part.repeat(200_000)
      assert.ok(redactor.text(text).length < 20_000)
      assert.ok(redactor.url(text).length < 20_000)
      assert.ok(redactor.query(text).length <= 500)
      assert.ok(redactor.cookies(text).length <= 500)
    }
  })

  it('never throws on any text', () => {
    const special = fc.string({ unit: fc.constantFrom(...'"\'\\:=/?&#@[]%;, {}abpasswordtoken\n'.split('')) })
    fc.assert(
      fc.property(fc.oneof(special, fc.string({ unit: anyCharacter })), (text) => {
        redactor.text(text)
        redactor.url(text)
        redactor.query(text)
        redactor.cookies(text)
        redactor.headers([text, text])
        redactor.responseHeaders([text, text, 'set-cookie', text, 'location', text])
      }),
      { numRuns: 200 },
    )
  })
})

it('Redactor.text of an enormous text: says only how long it is', () => {
  assert.equal(new Redactor().text('x'.repeat(40_000_000)), '[text of 40000000 characters, too long to be read]')
})

describe('Redactor.text of SQL', () => {
  it('shows columns, aliases, placeholders and keywords', () => {
    for (const text of [
      'SELECT o.id FROM owners o JOIN shops s ON s.id = o.id WHERE o.id = ?',
      'LEFT JOIN addresses s ON s.id = b.id',
      '  AND s.token = o.token',
      'select 1 from "a" "s" join o on "s"."token" = "o"."token"',
      'select `s`.`token` from s where `s`.`token` = `o`.`token`',
      'UPDATE users SET password = :password, token = NULL WHERE token = $2 AND old_token <> @old',
      'SELECT 1 FROM u WHERE token = old_token OR token = lower($1::text)',
      'SELECT 1 FROM s WHERE s.id = 42 AND max_tokens = 5 AND status_code = 200',
      "SELECT 1 FROM u WHERE token IN ($1, $2) OR name LIKE 'a%'",
    ])
      assert.equal(redactor.text(text), text)
  })

  it('masks every literal of a sensitive column, and once as twice', () => {
    const column = fc.constantFrom('password', 'u.token', '"u"."api_key"', '`secret`', 's.session_id', 'pin')
    const literal = fc.constantFrom(
      `'${canary}'`,
      `'it''s ${canary}'`,
      `"${canary}"`,
      canary,
      `lower('${canary}')`,
      `('${canary}')`,
    )
    const operator = fc.constantFrom('=', ' = ', '!=', ' <> ', ' >= ')
    const frame = fc.constantFrom(
      (term: string) => `SELECT 1 FROM u s WHERE ${term} AND s.id = o.id`,
      (term: string) => `UPDATE u SET name = $1, ${term} WHERE id = $2`,
      (term: string) => `JOIN o ON (o.id = u.id AND ${term})`,
      (term: string) => term,
    )
    fc.assert(
      fc.property(column, operator, literal, frame, (name, sign, value, around) => {
        const masked = redactor.text(around(`${name}${sign}${value}`))
        assert.ok(!masked.includes(canary), masked)
        assert.equal(redactor.text(masked), masked)
      }),
      { numRuns: 1000 },
    )
    const listed = redactor.text(`SELECT 1 FROM u WHERE token IN ('${canary}', '${canary}') OR pin LIKE '${canary}%'`)
    assert.ok(!listed.includes(canary), listed)
  })
})

it('Redactor.headers of proxies: shows the scheme and how many addresses there are, and no address', () => {
  const shown = redactor.headers([
    'x-forwarded-proto',
    'https',
    'x-forwarded-for',
    '203.0.113.7, 10.0.0.1',
    'forwarded',
    'for="[2001:db8::1]:4711";proto=https;host=shop.example, for=10.0.0.1;proto=x',
  ])
  assert.deepEqual(shown, [
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-for', '******, ******'],
    ['forwarded', 'for=******;proto=https;host=******, for=******;proto=******'],
  ])
})
