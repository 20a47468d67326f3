// The plant's database behind the pages: an account that may write, a server that is away, slow, stopped or restarted.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/plant_view/plant_database.h"
#include "tests/daemon/plant_view/viewed_plant.h"

namespace datum {
namespace plant_database_test {
namespace {

using ::testing::HasSubstr;
using testing::PlantDocument;

struct PlantDatabaseTest : testing::ViewedPlant {
  std::string fault(const PageAnswer& answer) {
    EXPECT_EQ(answer.status, 503) << answer.body;
    return PlantDocument(answer).at("fault");
  }
};

TEST_F(PlantDatabaseTest, AnAccountThatMayWriteIsRefused) {
  open(std::chrono::seconds(20), "collect");
  EXPECT_THAT(fault(get("/")), HasSubstr("the account collect is a superuser"));
  open(std::chrono::seconds(20));
  EXPECT_EQ(get("/").status, 200);
  for (const auto& [grant, words] : std::vector<std::pair<std::string, std::string>>{
           {"GRANT INSERT ON datum.alarm TO \"datumd-plant-view\"", "may write alarm"},
           {"GRANT UPDATE (handle) ON datum.cell TO \"datumd-plant-view\"", "may write cell"},
           {"GRANT CREATE ON SCHEMA datum TO \"datumd-plant-view\"", "may create in the schema datum"},
           {"GRANT pg_write_all_data TO \"datumd-plant-view\"", "as pg_write_all_data"},
           {"ALTER ROLE \"datumd-plant-view\" CREATEROLE", "may make roles"}}) {
    ask(grant);
    open(std::chrono::seconds(20));
    EXPECT_THAT(fault(get("/")), HasSubstr(words)) << grant;
    EXPECT_EQ(get("/style.css").status, 200);
    ask("REVOKE ALL ON datum.alarm, datum.cell FROM \"datumd-plant-view\"; REVOKE CREATE ON SCHEMA datum "
        "FROM \"datumd-plant-view\"; "
        "REVOKE pg_write_all_data FROM \"datumd-plant-view\"; ALTER ROLE \"datumd-plant-view\" NOCREATEROLE; "
        "GRANT SELECT ON ALL TABLES "
        "IN SCHEMA datum TO \"datumd-plant-view\"");
  }
  EXPECT_EQ(get("/").status, 200) << "the next page asks again";
}

TEST_F(PlantDatabaseTest, NothingCanBeWrittenEvenSo) {
  EXPECT_THROW(plant->read([](PlantDatabase& p) { p.ask("CREATE TEMP TABLE t (x int)"); }),
               std::runtime_error);
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(PlantDatabaseTest, WhatIsNoDatabaseOfACollectorIsNamed) {
  ask("REVOKE SELECT ON datum.board FROM \"datumd-plant-view\"");
  EXPECT_THAT(fault(get("/")),
              ::testing::AllOf(HasSubstr("permission denied for table board"), HasSubstr("reader.sql")));
  ask("UPDATE datum.version SET version = 7");
  EXPECT_THAT(fault(get("/")), HasSubstr("version 7; this program knows 1"));
  ask("DROP SCHEMA datum CASCADE");
  EXPECT_THAT(fault(get("/")), HasSubstr("datumd-collect makes its tables"));
}

TEST_F(PlantDatabaseTest, ADatabaseThatIsAwayIsAPageThatSaysSo) {
  EXPECT_EQ(get("/").status, 200);
  database->crash();
  EXPECT_THAT(fault(get("/")), HasSubstr("results wait at the cells"));
  database->start();
  EXPECT_THAT(fault(get("/")), HasSubstr("results wait at the cells")) << "not asked again at once";
  now += PlantDatabase::retry_s;
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(PlantDatabaseTest, ARestartedDatabaseIsAskedAgainAtOnce) {
  EXPECT_EQ(get("/").status, 200);
  database->crash();
  database->start();
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(PlantDatabaseTest, AQueryThatWaitsEndsByTheServersLimit) {
  open(std::chrono::seconds(2));  // the server's own limit is 0.4 s below
  EXPECT_EQ(get("/").status, 200) << "the connection is there";
  pqxx::connection other(connection_string(database->settings()));
  pqxx::work work(other);
  work.exec("LOCK TABLE datum.board IN ACCESS EXCLUSIVE MODE");
  EXPECT_THAT(fault(get("/")), HasSubstr("statement timeout"));
  work.abort();
  open(std::chrono::seconds(20));
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(PlantDatabaseTest, AServerThatStandsStillDoesNotHoldAPage) {
  EXPECT_EQ(get("/").status, 200);
  // As a host that hangs: its kernel takes the bytes, nobody answers.
  const int server = std::stoi(ask("SELECT pid FROM pg_stat_activity WHERE usename = 'datumd-plant-view'"));
  open(std::chrono::milliseconds(300));
  EXPECT_EQ(get("/style.css").status, 200);
  std::string words;
  {
    PlantDatabase& p = *plant;
    try {
      p.read([&](PlantDatabase& inside) {
        const int own = static_cast<int>(inside.ask("SELECT pg_backend_pid()").integer(0, 0));
        EXPECT_NE(own, server);
        ::kill(own, SIGSTOP);
        try {
          inside.ask("SELECT 1");
        } catch (const PlantAway& error) {
          words = error.what();
        }
        ::kill(own, SIGCONT);
        throw PlantAway(words);
      });
    } catch (const PlantAway&) {
    }
  }
  EXPECT_EQ(words, "it does not answer within 300 ms");
}

TEST_F(PlantDatabaseTest, AServerThatNeverAnswersAConnectionDoesNotHoldAPage) {
  // A listener that takes no connection: the kernel does.
  testing::FreshFolder folder;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / ".s.PGSQL.5432").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(socket, 4), 0);
  DatabaseSettings s;
  s.host = folder.path().string();
  s.name = s.user = "x";
  PlantDatabase silent(s, std::chrono::milliseconds(200));
  try {
    silent.read([](PlantDatabase&) {});
    FAIL();
  } catch (const PlantAway& error) {
    EXPECT_STREQ(error.what(), "it does not answer within 200 ms");
  }
  ::close(socket);
}

}  // namespace
}  // namespace plant_database_test
}  // namespace datum
