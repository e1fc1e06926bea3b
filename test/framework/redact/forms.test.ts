// Forms of secrets in running text, and what only looks like one. Each was shown, or hidden, by an earlier version.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor } from '../../../src/base/redact/redactor.ts'

const redactor = new Redactor()
const PW = 'zqCanary0815'

const secret = [
  `<wsse:Password Type="http://x#PasswordText">${PW}</wsse:Password>`,
  `<password a='1' b="2">${PW}</password>`,
  `<Password>${PW}</Password>`,
  `<add key="password" value="${PW}"/>`,
  `<input name="password" value="${PW}">`,
  `<property name='db.password' value='${PW}'/>`,
  `X-Api-Key: ${PW}`,
  `GET / HTTP/1.1\nX-Api-Key: ${PW}\nHost: a`,
  `sent x-api-key: ${PW} to it`,
  `X-Api-Key: hunter`,
  `curl -H 'X-Api-Key: ${PW}' h`,
  `password: ${PW}`,
  `user: ann\npassword: ${PW}\nhost: x`,
  `password: hunter`,
  `login failed for ann, password: ${PW}`,
  `bad password: ${PW} for ann`,
  `  - password: ${PW}`,
  `Authorization: Custom ${PW}`,
  `proxy-authorization: Custom-1 ${PW}, more`,
  `mysql --password ${PW} shop`,
  `mysql -p${PW} shop`,
  `mysql -pzqCanary`,
  `mysqldump -u root --host=db -p'${PW}' shop > x`,
  `Command failed: mariadb -h 127.0.0.1 -P 3306 -uroot -p${PW}`,
  `redis-cli -a ${PW} get x`,
  `redis-cli -h cache -p 6379 -a "${PW}"`,
  `valkey-cli --tls -a zqCanary ping`,
  `password => ${PW}`,
  `{ :user => ann, :password => ${PW} }`,
  `api_key=>${PW}`,
  `Array ( [password] => ${PW} )`,
  `tool --client-secret '${PW}'`,
  `tool --api-key "${PW}"`,
  `ALTER USER ann IDENTIFIED BY '${PW}'`,
  `CREATE ROLE ann WITH PASSWORD '${PW}' LOGIN`,
  `SET password TO '${PW}'`,
  `jdbc:oracle:thin:scott/${PW}@//db:1521/shop`,
  `root:${PW}@tcp(db:3306)/shop`,
  `dsn root:${PW}@unix(/tmp/x)/shop`,
  `root:${PW}@db:3306/shop`,
  `curl -u a:${PW} http://h/`,
  `curl --user 'a:${PW}' h`,
  `curl --user=a:${PW} h`,
  `curl -ua:${PW} h`,
  `Token ${PW}`,
  `ApiKey ${PW}`,
  `sent Api-Key ${PW}`,
  `apikey ${PW}`,
  `{password:${PW}}`,
  `{ user:ann,password:${PW} }`,
  `{user: ann, password: ${PW}}`,
  `{password:hunter}`,
  `password: Hunter\nx`,
  `{token:${PW}}`,
  `mutation { login(password:\n   "${PW}") { id } }`,
  `mutation { login(password: """${PW}""") }`,
  `{"query":"{ login(password:\\n \\"${PW}\\") }"}`,
  `Matched GET http://h/products?q=password%3D'${PW}' now`,
  `/products?q=password%3D'${PW}'`,
  `http://h/products?q=%7B%20password%3A%20'${PW}'%7D`,
  `{"request_uri":"http://h/p?q=password%3D'${PW}'"}`,
  `{"name":"password","value":"${PW}"}`,
  `{ name: 'password', value: '${PW}' }`,
  `["password","${PW}"]`,
  `[ 'password', '${PW}' ]`,
  `{\\"name\\":\\"password\\",\\"value\\":\\"${PW}\\"}`,
  `{"password"=>"${PW}"}`,
  `array('password' => '${PW}')`,
  `DATABASE_URL=${PW}`,
  `DATABASE_URL=root:${PW}@h/d`,
  `contraseña=${PW}`,
  `пароль: ${PW}`,
  `пароль=${PW}`,
  `{"пароль":"${PW}"}`,
  `mot de passe: ${PW}`,
  `passwort: ${PW}`,
  `basic_auth: ${PW}`,
  `x-auth: ${PW}`,
  `Password = ${PW}`,
  `password\t=\t${PW}`,
  `PASSWORD:${PW}`,
  `pin: 4711zqCanary`,
  `Authorization: Digest username="ann", realm=shop, response="${PW}", nc=1`,
  `https://${PW}${PW}@git.example/shop.git`,
  ...(
    'AGE-SECRET-KEY-1 CFPAT- GOCSPX- NRAK- PMAK- dckr_pat_ dt0c01. figd_ fo1_ glc_ glsa_ gsk_ hvs. lin_api_ lsv2_pt_ nfp_ ntn_ nvapi- phx_ pplx- ' +
    'pscale_pw_ pul- r8_ rpa_ rubygems_ sb_secret_ sbp_ secret_ shpat_ sntrys_ sq0csp- tskey-auth- xai-'
  )
    .split(' ')
    .map((begin) => `sent ${begin}${PW}${PW}, twice`),
  `https://bots.example/bot123456789:AA${PW}${PW}zqCanary08/getMe`,
]

const shown = [
  'if (token === null) return session !== undefined',
  'cookies: cookies.slice(0, maxCookies),',
  'newToken: this.#options.newToken,',
  'Unknown key: banana',
  'Unknown key: user_id',
  'Invalid token: <EOF>',
  'Invalid password: too short',
  'password: must be at least 8 characters',
  'password: Required',
  'max_tokens: 4096',
  'status_code: 404',
  'code: 404',
  'token_count: 17',
  'salted: 5f',
  'author: ann77',
  'passenger: 3b',
  'pass: 3, fail: 1',
  'token:refresh',
  'session:42',
  'card:visa',
  'password:changed',
  'auth: login',
  'key: primary',
  'Duplicate entry for key: users.email_1',
  'SyntaxError: Unexpected token in JSON at position 12',
  'Unexpected token export2 in x',
  'docker run -u 1000:1000 node',
  'pass --password or --token to log in',
  'mysql -p shop',
  'mysql -u root -p -P3306',
  'mysql is down -probably',
  'docker run --name mysql -p3306:3306 -d mysql:8',
  'redis-cli -p 6379 -n 2',
  'ls -a && redis-cli ping',
  'tar -pxf mysql.tar',
  'const check = password => hash(password)',
  'secret_santa_2024_of_everybody_who_is_here',
  'pul-request-of-a-long-branch-name-without-digits',
  'https://ann.long-name-of-a-person@shop.example/',
  'https://0f8fad5b-d9cb-469f-a165-70867728950e.shop.example/',
  'Digest of 2026: twelve pages',
  'at 12:AA the clock stopped',
  'password => bcrypt2(password)',
  'token => token.id',
  '(token) => { return 5 }',
  'secret => secret !== null',
  'keys.map((key) => key2)',
  'password => true',
  'Authorization: header 12 is missing',
  "sorted by 'price12'",

  'at f (http://127.0.0.1:3000/a.js:12:5)',
  'f@http://127.0.0.1:3000/a.js:12:5',
  'ann@shop.example:25',
  'repo/image:tag@sha256:0123456789abcdef',
  "the page http://h/x's title",
  "GET 'http://h/x?a=1' failed",
  'SELECT * FROM u WHERE s.id = o.id',
  'PASSWORD=\nDB_HOST=localhost',
  '["name","password"]',
  '["tea","coffee"]',
  '{"name":"color","value":"red"}',
  '<input name="q" value="tea">',
  '<a href="x" class="y">text</a>',
  'token: null',
  'password: undefined',
  'secret: [Getter]',
  'password: ${password}',
  'password: {',
  'the token is 12 characters',
  'token 5 of 10',
  '0123456789abcdef4111111111111111',
  'time: 12:30:45',
  'file.ts:12:5',
  'a: b: c',
  'node:internal/process/task_queues:104:5',
  'Error: outer trouble',
  'Mot de passe oublié',
  'http://127.0.0.1:8000/a/b?x=1',
  'GET /cards 200',
  'keys: 5',
  'has_password: yes',
  'The api_key: provide one',
  'interface Props { password: string; token: string }',
  'password: user.password,',
  'password: userPassword,',
  '{ password: password }',
  '  apiKey: config.apiKey,',
  'password: hash(password)',
  'secret: process.env.SECRET,',
  '(token: string) => void',
  'function f(password: string, key: number): boolean',
  '{ password: string }',
  'type A = { key: K; token: Token }',
]

describe('Redactor.text of forms', () => {
  for (const text of secret) {
    it(`masks ${JSON.stringify(text).replaceAll(PW, 'PW')}, and once as twice`, () => {
      const masked = redactor.text(text)
      assert.doesNotMatch(masked, /zqCanary|hunter/i)
      assert.equal(redactor.text(masked), masked)
    })
  }

  for (const text of shown) it(`shows ${JSON.stringify(text)}`, () => assert.equal(redactor.text(text), text))

  it('keeps what is around it', () => {
    for (const [text, masked] of [
      [
        `<wsse:Password Type="a">${PW}</wsse:Password><b>c</b>`,
        '<wsse:Password Type="a">******</wsse:Password><b>c</b>',
      ],
      [`X-Api-Key: ${PW}\nHost: a`, 'X-Api-Key: ******\nHost: a'],
      [`root:${PW}@tcp(db:3306)/shop`, 'root:******@tcp(db:3306)/shop'],
      [`curl -u a:${PW} http://h/`, 'curl -u a:****** http://h/'],
      [`login(password:\n  "${PW}") { id }`, 'login(password:\n  "******") { id }'],
      [`GET http://h/p?q=password%3D'${PW}'&b=1 now`, 'GET http://h/p?q=******&b=1 now'],
      [`{"name":"password","value":"${PW}","id":1}`, '{"name":"password","value":"******","id":1}'],
      [`if (password === '${PW}') return`, "if (password === '******') return"],
    ] as const)
      assert.equal(redactor.text(text), masked)
  })
})

it('Redactor.value of pairs: masks the value beside a telling name, and no list of names', () => {
  const value = {
    fields: [
      { name: 'password', value: PW },
      { key: 'tea', value: 'green' },
    ],
    entries: [
      ['password', PW],
      ['token', PW],
      ['tea', 'green'],
    ],
    hidden: ['token', 'name'],
    DATABASE_URL: PW,
    REDIS_URL: `redis://:${PW}@h`,
    CACHE_DB_URL: 'file:./dev.db',
  }
  const shown = JSON.stringify(redactor.value(value))
  assert.doesNotMatch(shown, /zqCanary/)
  assert.match(shown, /"value":"green".*\["tea","green"\].*"hidden":\["token","name"\].*"redis:.*"file:/)
})
