BEGIN TRANSACTION;
CREATE TABLE bindings (
    place TEXT NOT NULL, game TEXT NOT NULL, server TEXT NOT NULL, current INTEGER NOT NULL, removed REAL, number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (place, game)
) WITHOUT ROWID;
INSERT INTO "bindings" VALUES('console:main','2a2750498ecdf000','console',1,NULL,1);
CREATE TABLE docs (
    kind TEXT NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL, expires REAL, owner TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
INSERT INTO "docs" VALUES('consent','2a2750498ecdf000:8','{"by":"db8d1482afd0c9ac","event":8,"id":"ef46a230cf","what":"undo"} 
  

 
 		',1.7979736891539931297e+09,'console');
INSERT INTO "docs" VALUES('seat','2a2750498ecdf000/console:anna','{"place":"console:main"} 
	
	
 			 
	',NULL,'console:anna');
INSERT INTO "docs" VALUES('seat','2a2750498ecdf000/console:bob','{"place":"console:main"} 
	
	
 			 
	',NULL,'console:bob');
CREATE TABLE due (
    key TEXT PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, owner TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
    game TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, number)
);
INSERT INTO "events" VALUES('2a2750498ecdf000',1,'{"after":{"game":{"go":["US","VC"],"master":"db8d1482afd0c9ac","name":"Hill 875","phase":"rally","sides":["US","VC"],"started":true,"system":"lnlt","turn":1}},"at":1795381688,"before":{"game":{"go":[],"master":"","name":"","phase":"","sides":[],"started":false,"system":"","turn":0}},"behind":0,"game":"2a2750498ecdf000","kind":"start","number":1,"result":"turn 1, Rally phase","secret":{"closing":true,"commitment":"4d590f79d9dba84a7d9f786396c6cd537446b36c1bfdbdae0978b12095417520","digest":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","epoch":1,"protocol":2},"side":"","who":"db8d1482afd0c9ac"}','a41b0547dba75032868a9953fba8a7c14ec0a7ad292f9e4a87b5db4a7a703619');
INSERT INTO "events" VALUES('2a2750498ecdf000',2,'{"after":{"game":{"players":{"db8d1482afd0c9ac":"US"}}},"at":1795381688,"before":{"game":{"players":{}}},"behind":1,"kind":"join","number":2,"side":"US","who":"db8d1482afd0c9ac"}','66ab358645f63ea2a9ffc5d530aea21b2894538fb3d12426115cf7f85a30a771');
INSERT INTO "events" VALUES('2a2750498ecdf000',3,'{"after":{"game":{"players":{"55aa7c01000a1f56":"VC","db8d1482afd0c9ac":"US"}}},"at":1795381688,"before":{"game":{"players":{"db8d1482afd0c9ac":"US"}}},"behind":2,"kind":"join","number":3,"side":"VC","who":"55aa7c01000a1f56"}','23f640149deef78316aed29301361267a469b522390c19b1a07c3f887c0ba8c8');
INSERT INTO "events" VALUES('2a2750498ecdf000',4,'{"after":{"units":{"cell 1":{"handle":"vc1","name":"Cell 1","numbers":{"fp":1,"morale":4},"side":"VC","type":"squad"},"cell 2":{"handle":"vc2","name":"Cell 2","numbers":{"fp":1,"morale":4},"side":"VC","type":"squad"}}},"at":1795381688,"before":{"units":{"cell 1":null,"cell 2":null}},"behind":3,"kind":"unit","number":4,"result":"2 units added","side":"VC","who":"55aa7c01000a1f56"}','b12d461ea0a38cd1a71a8e73cc8483d64792b09898325cc547d5f68df38f8ac4');
INSERT INTO "events" VALUES('2a2750498ecdf000',5,'{"after":{"units":{"tran":{"handle":"vc3","name":"Tran","numbers":{"lm":1,"morale":5},"side":"VC","type":"leader"}}},"at":1795381688,"before":{"units":{"tran":null}},"behind":4,"kind":"unit","number":5,"result":"Tran added","side":"VC","who":"55aa7c01000a1f56"}','e78c30973c8775b2fd1f4886725dfe23ea595f888db28ed76dcee925cd968e8c');
INSERT INTO "events" VALUES('2a2750498ecdf000',6,'{"after":{"units":{"squad 1":{"handle":"us1","name":"Squad 1","numbers":{"fp":2,"morale":5},"side":"US","type":"squad"},"squad 2":{"handle":"us2","name":"Squad 2","numbers":{"fp":2,"morale":5},"side":"US","type":"squad"}}},"at":1795381688,"before":{"units":{"squad 1":null,"squad 2":null}},"behind":5,"kind":"unit","number":6,"result":"2 units added","side":"US","who":"db8d1482afd0c9ac"}','82cfe31acebfa598c88973d386f5a7d99b7139f8e620f56d8e8b061abca44a47');
INSERT INTO "events" VALUES('2a2750498ecdf000',7,'{"after":{"units":{"lt hill":{"handle":"us3","name":"Lt Hill","numbers":{"lm":1,"morale":6},"side":"US","type":"leader"}}},"at":1795381688,"before":{"units":{"lt hill":null}},"behind":6,"kind":"unit","number":7,"result":"Lt Hill added","side":"US","who":"db8d1482afd0c9ac"}','35df36f161eb5c88d488b10757569a3d6cf599cfd0f371dad4d49e10af06f472');
INSERT INTO "events" VALUES('2a2750498ecdf000',8,'{"acting":["Squad 1"],"after":{"units":{"cell 1":{"handle":"vc1","name":"Cell 1","numbers":{"fp":1,"morale":4},"side":"VC","state":"eliminated","type":"squad"},"squad 1":{"handle":"us1","marks":["fired"],"name":"Squad 1","numbers":{"fp":2,"morale":5},"side":"US","type":"squad"}}},"at":1795381688,"before":{"units":{"cell 1":{"handle":"vc1","name":"Cell 1","numbers":{"fp":1,"morale":4},"side":"VC","type":"squad"},"squad 1":{"handle":"us1","name":"Squad 1","numbers":{"fp":2,"morale":5},"side":"US","type":"squad"}}},"behind":7,"command":"lnlt fire","dice":[{"label":"attack","sides":6,"value":6},{"label":"defense","sides":6,"value":1},{"label":"damage check Cell 1","sides":6,"value":6}],"edition":2,"hand":true,"inputs":{"adjacent":true,"attackers":"us1","targets":"vc1"},"kind":"sequence","number":8,"out":{"attack_fp":2,"attack_mod":2,"attack_roll":6,"attack_total":10,"dc_mod":9,"defense_mod":0,"defense_total":1,"fire_check":"none","hit":true,"outcome":"eliminated","picked":"none","targets":[{"becomes":"eliminated","dc_total":15,"hero":false,"result":"eliminated","roll":6,"unit":"Cell 1"}]},"result":"Cell 1 eliminated","side":"US","system":"lnlt","target":"fire","texts":{},"used":[{"handle":"us1","name":"Squad 1","numbers":{"fp":2,"morale":5},"side":"US","type":"squad"},{"handle":"vc1","name":"Cell 1","numbers":{"fp":1,"morale":4},"side":"VC","type":"squad"}],"who":"db8d1482afd0c9ac"}','23310504470e312e1414b03fd354ee8ab61fed3311d2be9e5f72ee4ced21101c');
CREATE TABLE games (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, next_event INTEGER NOT NULL, head TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
) WITHOUT ROWID;
INSERT INTO "games" VALUES('2a2750498ecdf000',9,9,'23310504470e312e1414b03fd354ee8ab61fed3311d2be9e5f72ee4ced21101c',1.79538168871978616718e+09,1.79538168915803480153e+09);
CREATE TABLE marks (
    game TEXT NOT NULL, mark TEXT NOT NULL, block INTEGER NOT NULL, at TEXT NOT NULL, PRIMARY KEY (game, mark, block)
) WITHOUT ROWID;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, place TEXT NOT NULL, reply TEXT,
    delivery TEXT NOT NULL, due REAL NOT NULL, attempts INTEGER NOT NULL, created REAL NOT NULL
, about TEXT NOT NULL DEFAULT '', amends TEXT NOT NULL DEFAULT '', home TEXT NOT NULL DEFAULT '');
CREATE TABLE persons (
    game TEXT NOT NULL, person TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (game, person)
) WITHOUT ROWID;
INSERT INTO "persons" VALUES('2a2750498ecdf000','55aa7c01000a1f56','console:bob','Bob');
INSERT INTO "persons" VALUES('2a2750498ecdf000','db8d1482afd0c9ac','console:anna','Anna');
CREATE TABLE requests (id TEXT PRIMARY KEY, game TEXT, user TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "requests" VALUES('t1','2a2750498ecdf000','console:anna','{"title":"Anna starts \"Hill 875\"","lines":["Turn 1, Rally: both sides. Anna is game master.",["Sides: US, VC. Join one: ",{"typed":"/game join US"}],{"kind":"small","text":"Dice promised: 4d590f79d9dba84a. /fair add mixes in your own words before the first roll."}],"footer":["#1"],"across":4,"by":"Lock ''n Load Tactical","buttons":[{"action":"join:2a2750498ecdf000:US","label":"Join US","style":"primary"},{"action":"join:2a2750498ecdf000:VC","label":"Join VC","style":"primary"},{"action":"initiative:2a2750498ecdf000:1.0.rally","label":"Initiative","style":"plain"},{"action":"form:lnlt rally","label":"Rally","style":"plain"},{"action":"next:2a2750498ecdf000:1.0.rally","label":"Next phase","style":"plain"},{"action":"remember:2a2750498ecdf000:rally","label":"Reminders","style":"plain"}]}
	
  
 		 ',1.79538168871978616718e+09);
INSERT INTO "requests" VALUES('t2','2a2750498ecdf000','console:anna','{"title":"Anna plays US","footer":["#2"]} 

  
 		 	
',1.79538168874344468113e+09);
INSERT INTO "requests" VALUES('t3','2a2750498ecdf000','console:bob','{"title":"Bob plays VC","footer":["#3"]}  	

   	


 	',1.79538168875303506856e+09);
INSERT INTO "requests" VALUES('t4','2a2750498ecdf000','console:bob','{"title":"Bob adds 2 units","lines":["Cell 1 (vc1): squad morale=4 fp=1","Cell 2 (vc2): squad morale=4 fp=1"],"footer":["#4"]}
							
',1.7953816887783641815e+09);
INSERT INTO "requests" VALUES('t5','2a2750498ecdf000','console:bob','{"title":"Bob adds Tran","lines":["Tran (vc3): leader morale=5 lm=1"],"footer":["#5"]} 		  			 	
		',1.79538168879159903525e+09);
INSERT INTO "requests" VALUES('t6','2a2750498ecdf000','console:anna','{"title":"Anna adds 2 units","lines":["Squad 1 (us1): squad morale=5 fp=2","Squad 2 (us2): squad morale=5 fp=2"],"footer":["#6"]} 	   			
	 ',1.79538168879465317726e+09);
INSERT INTO "requests" VALUES('t7','2a2750498ecdf000','console:anna','{"title":"Anna adds Lt Hill","lines":["Lt Hill (us3): leader morale=6 lm=1"],"footer":["#7"]}




	 


   ',1.79538168879695105547e+09);
INSERT INTO "requests" VALUES('t8','2a2750498ecdf000','console:anna','{"title":"Cell 1 is eliminated","lines":[{"kind":"line","label":"attack","dice":[6],"parts":[["firepower",2],["adjacent",2]],"total":10,"result":"","contributors":[],"unit":""},{"kind":"line","label":"defense","dice":[1],"parts":[],"total":1,"result":"beaten by 9","contributors":[],"unit":""},{"kind":"line","label":"Cell 1","dice":[6],"parts":[["",9]],"total":15,"result":"three times morale 4","contributors":[],"unit":""}],"footer":["#8","dice by hand"],"by":"Squad 1 fires","tone":"hurt","buttons":[{"action":"again:2a2750498ecdf000:8","label":"Again","style":"plain"},{"action":"form:event:2a2750498ecdf000:8","label":"Change\u2026","style":"plain"},{"action":"odds:2a2750498ecdf000:8","label":"Odds","style":"plain"},{"action":"undo:2a2750498ecdf000:8","label":"Undo","style":"plain"}],"menus":[{"label":"Same shot, other target","entries":[{"action":"other:2a2750498ecdf000:8:vc2","label":"Cell 2","about":"squad \u00b7 good order"},{"action":"other:2a2750498ecdf000:8:vc3","label":"Tran","about":"leader \u00b7 good order"},{"action":"form:event:2a2750498ecdf000:8","label":"Type another\u2026","about":""}],"short":"Other target"}]}
	 
	 

 


 
',1.79538168909102082253e+09);
INSERT INTO "requests" VALUES('t9','2a2750498ecdf000','console:anna','{"title":"Anna asks to undo #8","lines":["#8 Anna (US): Squad 1 fires: Cell 1 is eliminated [6][1][6] (dice by hand)","Dice were rolled, so Bob must agree. If so, back to before it: Cell 1 and Squad 1.",["Press Agree or type ",{"typed":"/game undo"},"."]],"mention":["console:bob"],"tone":"waiting","buttons":[{"action":"consent:2a2750498ecdf000:8:ef46a230cf","label":"Agree","style":"good"},{"action":"refuse:2a2750498ecdf000:8:ef46a230cf","label":"Refuse","style":"plain"}]}		 
	

	 
	',1.79538168915803480153e+09);
CREATE TABLE seeds (
    game TEXT NOT NULL, epoch INTEGER NOT NULL, seed BLOB NOT NULL, commitment TEXT NOT NULL,
    first_event INTEGER NOT NULL, texts TEXT NOT NULL, digest TEXT NOT NULL, revealed INTEGER,
    PRIMARY KEY (game, epoch)
) WITHOUT ROWID;
INSERT INTO "seeds" VALUES('2a2750498ecdf000',1,X'4120A1FCB6C5DA1F3165B403F64B422CD6DA1028F8412BB814C3B4AA963B99F5','4d590f79d9dba84a7d9f786396c6cd537446b36c1bfdbdae0978b12095417520',2,'[]','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',NULL);
CREATE TABLE shown (
    about TEXT NOT NULL, place TEXT NOT NULL, spot TEXT NOT NULL, request TEXT NOT NULL,
    PRIMARY KEY (about, place, spot)
) WITHOUT ROWID;
CREATE TABLE snapshots (game TEXT PRIMARY KEY, at INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE texts (
    game TEXT NOT NULL, event INTEGER NOT NULL, key TEXT NOT NULL, salt TEXT NOT NULL, text TEXT NOT NULL,
    person TEXT NOT NULL, PRIMARY KEY (game, event, key)
) WITHOUT ROWID;
CREATE TABLE tombstones (id TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE UNIQUE INDEX bindings_current ON bindings (place) WHERE current;
CREATE INDEX bindings_game ON bindings (game);
CREATE INDEX bindings_server ON bindings (server);
CREATE INDEX bindings_removed ON bindings (removed) WHERE removed IS NOT NULL;
CREATE INDEX persons_user ON persons (user);
CREATE INDEX docs_expires ON docs (expires) WHERE expires IS NOT NULL;
CREATE INDEX docs_owner ON docs (owner) WHERE owner <> '';
CREATE INDEX outbox_about ON outbox (about) WHERE about <> '';
CREATE INDEX outbox_amends ON outbox (amends) WHERE amends <> '';
CREATE INDEX due_at ON due (at);
CREATE INDEX due_owner ON due (owner) WHERE owner <> '';
DELETE FROM "sqlite_sequence";
COMMIT;
PRAGMA user_version = 7;
PRAGMA application_id = 0;
